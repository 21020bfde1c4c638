/* The page: what is selected, found and shown, and the views that follow. All that is told is text
   of the data; nothing of it becomes markup. */
"use strict";

(function () {
  const data = JSON.parse(document.getElementById("data").content.textContent);
  const text = (number) => data.texts[number];
  const by = (id) => document.getElementById(id);
  const state = { at: data.asked, key: "", hits: null, tones: new Map(), theme: "" };
  /* In their order: of several that find something, the first has it in its colour. */
  const rules = data.rules.map(([name, words, tone]) => (
    { name, tone, test: queryOf(words, data.fields, data.byteFields, data.shareFields), isOn: true }));
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const THEMES = ["", "light", "dark"];

  function element(tag, content = "", attributes = {}) {
    const made = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => value && made.setAttribute(name, value));
    made.append(...[].concat(content));
    return made;
  }

  /* Layers, names and keys of a schedule, made when it is first shown. */
  const shown = new Map();
  function schedule(at = state.at) {
    if (!shown.has(at)) {
      const given = data.schedules[at], cells = Object.keys(data.fields);
      shown.set(at, {
        ...given,
        lanes: lanes(given.timeline, ""),
        areas: given.maps.map(area),
        things: given.things.map(([key, texts, values]) => ({
          key: text(key),
          texts: texts.map(text),
          values: Object.fromEntries(cells.map((name, place) => [name, valueOf(name, values[place])])),
        })),
      });
    }
    return shown.get(at);
  }
  function valueOf(name, value) {
    if (value === null || data.fields[name] === "float") { return value; }
    return Array.isArray(value) ? value.map(text) : text(value);
  }
  const named = (layer) => ({ ...unpacked(layer), labels: layer.labels.map(text), keys: layer.keys.map(text) });
  function lanes(timeline, whose) {
    return {
      isTimeline: true, isOther: Boolean(whose), rows: timeline.rows, height: timeline.height, title: whose,
      layers: timeline.layers.map(named),
      marks: timeline.rows.map(([title, top, bottom]) => [(top + bottom) / 2, text(title)]),
    };
  }
  function area(map, place) {
    const kib = (bytes) => `${(bytes / 1024).toLocaleString("en", { maximumFractionDigits: 1 })} KiB`;
    const marks = [[0, "0"], [map.height, kib(map.height)]];
    if (map.limit !== null && map.limit <= map.top) { marks.push([map.limit, `limit ${kib(map.limit)}`]); }
    /* Of two sizes on one line, the limit is told. */
    const far = marks.filter(([y], at) => at !== 1 || marks.length < 3 || Math.abs(y - map.limit) > map.top / 16);
    return { ...map, place, title: text(map.title), layers: map.layers.map(named), marks: far,
             names: map.names.map(text) };
  }
  const rival = () => data.rival ? data.rival.timeline : data.schedules[data.asked].timeline;
  const comparesItself = () => !data.rival && state.at === data.asked;

  const themeName = () => state.theme || (isDark.matches ? "dark" : "light");
  const plot = new Plot(by("canvas"), {
    theme() {
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(`--${name}`).trim();
      return { base: colour("base"), text: colour("text"), faint: colour("faint-text"),
               grid: colour("grid"), accent: colour("accent"), danger: colour("danger"),
               inks: data.themes[themeName()] };
    },
    isMarked(panel, layer, at) {
      if (panel.isOther || !state.key) { return false; }
      if (panel.isTimeline) {
        if (layer.keys[at] === state.key) { return true; }
        return state.chosen.ops !== null && layer.ops !== undefined && state.chosen.ops.has(layer.ops[at]);
      }
      return state.chosen.areas[panel.place].has(layer.keys[at]);
    },
    isMissed(panel, layer, at) {
      return state.hits !== null && !panel.isOther && !keysOf(panel, layer, at).some((key) => state.hits.has(key));
    },
    toneOf(panel, layer, at) {
      return panel.isOther ? undefined : keysOf(panel, layer, at).map((key) => state.tones.get(key)).find(Boolean);
    },
  });
  /* What a rectangle stands for: a slice also for its operator. */
  function keysOf(panel, layer, at) {
    const op = panel.isTimeline && layer.ops ? layer.ops[at] : null;
    return op === null ? [layer.keys[at]] : [layer.keys[at], op < 0 ? `cpu ${-1 - op}` : `operator ${op}`];
  }

  /* Operators, and keys of ranges by memory, that a selection means. */
  function chosenBy(key) {
    const [ops, ranges] = schedule().marks[key] || [[], schedule().maps.map(() => [])];
    const areas = schedule().areas.map((map, place) => {
      const wanted = new Set(ranges[place]);
      return new Set(map.layers[0].keys.filter((_, at) => wanted.has(map.ranges[at])));
    });
    return { ops: key.startsWith("buffer") ? null : new Set(ops), areas };
  }

  function select(key) {
    state.key = schedule().why[key] ? key : "";
    state.chosen = chosenBy(state.key);
    tellWhy();
    document.querySelectorAll("tr[data-key]").forEach((row) => {
      row.classList.toggle("chosen", row.dataset.key === state.key);
    });
    const row = document.querySelector("#operators tr.chosen");
    if (row) { row.parentNode.parentNode.parentNode.scrollTop = row.offsetTop - 200; }
    plot.redraw();
    remember();
  }

  function link(words, key) {
    const made = element("a", words, { href: `#${key}` });
    made.addEventListener("click", (event) => { event.preventDefault(); select(key); frame(); });
    return made;
  }
  const line = (pieces) => pieces.map((piece) => (
    Array.isArray(piece) ? link(text(piece[0]), text(piece[1])) : text(piece)));

  function tellWhy() {
    const told = schedule().why[state.key], groups = new Map();
    told.related.forEach(([group, words, key]) => {
      const before = groups.get(group);
      groups.set(group, [...(before ? [...before, ", "] : []), link(text(words), text(key))]);
    });
    by("why").replaceChildren(
      element("h2", text(told.title)),
      element("p", line(told.lead[0])),
      element("ol", told.lead.slice(1).map((each) => element("li", line(each)))),
      ...[...groups].map(([group, links]) => element("p", [`${text(group)}: `, ...links])),
      ...told.topics.flatMap(([title, lines]) => [
        element("h3", text(title)), element("ul", lines.map((each) => element("li", line(each))))]),
    );
    by("why").scrollTop = 0;
  }

  function table(told) {
    const heads = told.columns.map(([title, isNumber]) => (
      element("th", text(title), { scope: "col", class: isNumber ? "n" : "" })));
    const rows = told.rows.map((cells, at) => {
      const key = text(told.keys[at]);
      const row = element("tr", cells.map((cell, place) => (
        element("td", text(cell), { class: told.columns[place][1] ? "n" : "" }))), { "data-key": key });
      if (key) { row.addEventListener("click", () => { select(key); frame(); }); }
      return row;
    });
    return element("div", element("table", [element("thead", element("tr", heads)), element("tbody", rows)]),
                   { class: "wide" });
  }

  function tellSchedule() {
    const now = schedule(), [headline, isOver, ...advice] = now.verdict;
    by("subtitle").textContent = text(now.subtitle);
    by("slider").value = state.at;
    by("choice").textContent = data.schedules.length > 1
      ? `${state.at + 1} of ${data.schedules.length}: ${text(now.title)}` : text(now.title);
    by("verdict").className = isOver ? "over" : "";
    by("verdict").replaceChildren(
      element("strong", text(headline)), ...now.meters.map(([words]) => element("p", text(words))),
      ...advice.map((words) => element("p", text(words))));
    by("figures").replaceChildren(...now.figures.map(([number, meaning]) => (
      element("div", [element("b", text(number)), element("span", text(meaning))]))));
    by("operators").replaceChildren(element("h2", "Operators"), table(now.operators));
    const found = now.comparison;
    by("comparison").hidden = comparesItself();
    by("comparison").replaceChildren(
      element("h2", `Compared with A: ${text(found.a)}`), element("p", text(found.headline)),
      ...found.tables.flatMap((each) => [element("h3", text(each.title)), table(each)]));
    sortable();
    const panels = [now.lanes, ...now.areas], other = rival();
    if (other && !comparesItself()) { panels.push(lanes(other, `Timeline of A: ${text(found.a)}`)); }
    plot.show(panels, Math.max(now.timeline.end, other && !comparesItself() ? other.end : 0));
  }

  /* Colours of rules, with how much each finds; where none is on, those of classes. */
  function tellLegend() {
    const swatchOf = (tone) => {
      const swatch = element("i");
      swatch.style.background = data.themes[themeName()][tone][0];
      return swatch;
    };
    by("rules").replaceChildren(...rules.map((rule) => {
      const box = element("input", "", { type: "checkbox" });
      box.checked = rule.isOn;
      box.addEventListener("change", () => { rule.isOn = box.checked; find(); });
      const count = schedule().things.filter(rule.test).length;
      return element("label", [box, swatchOf(rule.tone), `${count}: ${rule.name}`]);
    }));
    by("legend").hidden = rules.some((rule) => rule.isOn);
    const inks = new Set(plot.panels.flatMap((panel) => panel.layers.flatMap((layer) => (
      layer.ink.map((ink) => layer.inks[ink])))));
    by("legend").replaceChildren(...[...inks].map((name) => element("span", [swatchOf(name), name])));
  }

  /* What is looked at: what any rule finds that is on; of that, what is typed. */
  function find() {
    const words = by("query").value, hits = by("hits"), on = rules.filter((rule) => rule.isOn);
    const ruleOf = (thing) => on.find((rule) => rule.test(thing));
    let test = null;
    hits.className = hits.textContent = "";
    try {
      test = queryOf(words, data.fields, data.byteFields, data.shareFields);
    } catch (error) {
      hits.className = "wrong";
      hits.textContent = error.message;
    }
    const found = schedule().things.filter((thing) => (!test || test(thing)) && (!on.length || ruleOf(thing)));
    state.hits = test || on.length ? new Set(found.map((thing) => thing.key)) : null;
    state.tones = new Map(on.length ? found.map((thing) => [thing.key, ruleOf(thing).tone]) : []);
    if (test) { hits.textContent = `${found.length} of ${schedule().things.length}`; }
    tellLegend();
    markRows();
    plot.redraw();
  }
  function markRows() {
    document.querySelectorAll("tr[data-key]").forEach((row) => {
      const tone = state.tones.get(row.dataset.key);
      row.classList.toggle("missed", state.hits !== null && !state.hits.has(row.dataset.key));
      row.style.boxShadow = tone ? `inset 4px 0 ${data.themes[themeName()][tone][0]}` : "";
    });
  }

  function choose(at) {
    state.at = Math.min(Math.max(at, 0), data.schedules.length - 1);
    tellSchedule();
    select(state.key);
    find();
  }

  /* To what is selected, with as much around it. */
  function frame() {
    let from = Infinity, to = -Infinity;
    plot.panels.forEach((panel) => panel.layers.forEach((layer) => layer.left.forEach((left, at) => {
      if (plot.asked.isMarked(panel, layer, at)) {
        from = Math.min(from, left);
        to = Math.max(to, layer.right[at]);
      }
    })));
    if (from > to) { return; }
    const room = Math.max(to - from, plot.end / 2000);
    plot.look(from - room, to + room);
  }
  function peak() {
    const map = schedule().areas[0];
    if (!map) { return; }
    const most = Math.max(...map.used), at = map.used.indexOf(most);
    const layer = map.layers[0], from = map.edges[at], to = Math.max(map.edges[at + 1], from + 1);
    let largest = -1;
    layer.left.forEach((left, place) => {
      const isLive = left < to && layer.right[place] > from;
      if (isLive && (largest < 0 || size(layer, place) > size(layer, largest))) { largest = place; }
    });
    if (largest >= 0) { select(layer.keys[largest]); }
    const room = Math.max(to - from, plot.end / 200);
    plot.hair = from;
    plot.look(from - room, to + room);
    by("at").textContent = `Peak of ${map.title}: ${most.toLocaleString("en")} bytes from cycle ${Math.round(from).toLocaleString("en")}`;
  }
  const size = (layer, at) => layer.top[at] - layer.bottom[at];

  function step(by_) {
    const keys = schedule().operators.keys.map(text), at = keys.indexOf(state.key);
    select(keys[Math.min(Math.max(at < 0 ? 0 : at + by_, 0), keys.length - 1)] || "");
    frame();
  }

  function turnTheme(to) {
    state.theme = to;
    document.documentElement.dataset.theme = to;
    by("theme").textContent = { "": "As the system", light: "Light", dark: "Dark" }[to];
    tellLegend();
    markRows();
    plot.recolour();
  }

  /* The address has what is looked at, so that a link to a place in the file can be sent. */
  function remember() {
    const place = new URLSearchParams({ schedule: state.at + 1, select: state.key });
    try { history.replaceState(null, "", `#${place}`); } catch { /* Frames of notebooks may not. */ }
  }
  function recall() {
    const place = new URLSearchParams(location.hash.slice(1));
    if (place.has("schedule")) { state.at = Number(place.get("schedule")) - 1 || 0; }
    state.key = place.get("select") || "";
  }

  const KEYS = {
    w: () => plot.zoom(0.7), "+": () => plot.zoom(0.7), "=": () => plot.zoom(0.7), s: () => plot.zoom(1 / 0.7),
    "-": () => plot.zoom(1 / 0.7), a: () => plot.move(-0.2), d: () => plot.move(0.2),
    ArrowLeft: () => plot.move(-0.2), ArrowRight: () => plot.move(0.2), f: frame, Home: peak,
    "0": () => plot.look(0, plot.end), ",": () => step(-1), ".": () => step(1),
    "/": () => by("query").focus(), Escape: () => { plot.hair = null; select(""); },
  };
  addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") {
      if (event.key === "Escape") { event.target.blur(); }
      return;
    }
    const does = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (does && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); does(); }
  });

  const canvas = by("canvas");
  let held = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey) { plot.move(Math.sign(event.deltaY || event.deltaX) * 0.1); return; }
    plot.zoom(1.0015 ** event.deltaY, plot.cycle(Math.max(event.offsetX, LEFT)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.offsetX, from: event.offsetX, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held) {
      const shift = plot.cycle(held.x) - plot.cycle(event.offsetX);
      held.moved = Math.max(held.moved, Math.abs(event.offsetX - held.from));
      held.x = event.offsetX;
      plot.look(plot.view[0] + shift, plot.view[1] + shift);
      return;
    }
    const hit = plot.hit(event.offsetX, event.offsetY);
    plot.hair = event.offsetX > LEFT ? plot.cycle(event.offsetX) : null;
    by("at").textContent = hit ? told(hit) : plot.hair === null ? ""
      : `cycle ${Math.round(plot.hair).toLocaleString("en")}`;
    plot.redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const wasClick = held && held.moved < 4;
    held = null;
    if (wasClick) {
      const hit = plot.hit(event.offsetX, event.offsetY);
      select(hit && !hit.panel.isOther ? hit.layer.keys[hit.at] : "");
    }
  });
  canvas.addEventListener("dblclick", frame);
  canvas.addEventListener("pointerleave", () => { plot.hair = null; plot.redraw(); });

  /* What is under the pointer: which it is, and how much. */
  function told({ panel, layer, at }) {
    const number = (value) => Math.round(value).toLocaleString("en");
    const cycles = `cycles ${number(layer.left[at])} to ${number(layer.right[at])}, ${number(layer.right[at] - layer.left[at])}`;
    const kind = layer.inks[layer.ink[at]];
    if (panel.isTimeline) { return [layer.labels[at] || kind, kind, cycles].join(" \u00b7 "); }
    const place = panel.layers[0].keys.indexOf(layer.keys[at]);
    const name = panel.names[panel.ranges[place]] || kind;
    return [name, kind, `${number(size(layer, at))} bytes at ${number(layer.bottom[at])}`, cycles].join(" \u00b7 ");
  }

  by("model").textContent = data.model;
  by("foot").textContent = data.foot;
  by("facts").append(...data.facts.flatMap(([term, what]) => [element("dt", term), element("dd", what)]));
  by("slider").max = data.schedules.length - 1;
  by("slider").hidden = data.schedules.length < 2;
  by("slider").addEventListener("input", (event) => choose(Number(event.target.value)));
  by("query").addEventListener("input", find);
  by("peak").addEventListener("click", peak);
  by("fit").addEventListener("click", () => plot.look(0, plot.end));
  by("frame").addEventListener("click", frame);
  by("closer").addEventListener("click", () => plot.zoom(0.7));
  by("farther").addEventListener("click", () => plot.zoom(1 / 0.7));
  by("theme").addEventListener("click", () => turnTheme(THEMES[(THEMES.indexOf(state.theme) + 1) % 3]));
  isDark.addEventListener("change", () => turnTheme(state.theme));
  turnTheme("");
  recall();
  choose(state.at);
  /* For the console of a browser. */
  globalThis.page = { data, state, plot, schedule, select, choose };
})();
