/* Draws rectangles over time on one canvas: panels from the top downwards, which share one axis of
   cycles. It knows nothing of schedules: what is marked or missed, and what a click means, is
   asked of whoever made it. */
"use strict";

const LEFT = 132, TOP = 22, GAP = 30, ROW = 28, BYTES = 230, LETTER = 6.3, TILE = 6;
const TILES = {
  "hatch": [[0, 6, 6, 0]], "back hatch": [[0, 0, 6, 6]], "cross": [[0, 0, 6, 6], [0, 6, 6, 0]],
  "dots": [[2.4, 3, 3.6, 3]],
};

/* Where columns of a layer begin is told from column to column. */
function unpacked(layer) {
  let at = 0;
  const left = Float64Array.from(layer.left, (step) => (at += step));
  return { ...layer, left, right: left.map((from, place) => from + layer.width[place]) };
}

class Plot {
  constructor(canvas, asked) {
    this.canvas = canvas;
    this.asked = asked;
    this.panels = [];
    this.end = 1;
    this.view = [0, 1];
    this.hair = null;
    this.awaited = 0;
    this.drawn = 0;
    /* Kept, because to ask for it is slow. */
    this.width = canvas.clientWidth;
    this.theme = asked.theme();
    new ResizeObserver(() => {
      this.width = canvas.clientWidth;
      this.redraw();
    }).observe(canvas);
  }

  /* What is drawn: panels of {title, layers, marks, rows and height | top and limit}. */
  show(panels, end) {
    let y = TOP;
    this.panels = panels.map((panel) => {
      const height = panel.rows ? panel.height * ROW : BYTES;
      const placed = { ...panel, y, px: height };
      y += height + GAP;
      return placed;
    });
    const wasWhole = this.view[0] === 0 && this.view[1] === this.end;
    this.end = end;
    this.view = wasWhole ? [0, end] : this.view;
    this.height = y;
    this.canvas.style.height = `${y}px`;
    this.look(...this.view);
  }

  look(from, to) {
    const span = Math.min(Math.max(to - from, 8), this.end);
    const first = Math.min(Math.max(from, 0), this.end - span);
    this.view = [first, first + span];
    this.redraw();
  }
  zoom(factor, around = (this.view[0] + this.view[1]) / 2) {
    this.look(around - (around - this.view[0]) * factor, around + (this.view[1] - around) * factor);
  }
  move(share) {
    const step = share * (this.view[1] - this.view[0]);
    this.look(this.view[0] + step, this.view[1] + step);
  }

  x(cycle) { return LEFT + (cycle - this.view[0]) / (this.view[1] - this.view[0]) * (this.width - LEFT); }
  cycle(x) { return this.view[0] + (x - LEFT) / (this.width - LEFT) * (this.view[1] - this.view[0]); }
  y(panel, value) {
    return panel.rows ? panel.y + value * ROW : panel.y + panel.px * (1 - value / panel.top);
  }

  /* The topmost rectangle at a point: {panel, layer, at}. */
  hit(x, y) {
    const cycle = this.cycle(x), reach = 2 * (this.cycle(1) - this.cycle(0));
    for (const panel of this.panels) {
      if (x < LEFT || y < panel.y || y > panel.y + panel.px) { continue; }
      for (const layer of [...panel.layers].reverse()) {
        for (let at = layer.left.length - 1; at >= 0; at -= 1) {
          if (layer.left[at] - reach > cycle || layer.right[at] + reach < cycle) { continue; }
          const ends = [this.y(panel, layer.bottom[at]), this.y(panel, layer.top[at])];
          if (y >= Math.min(...ends) && y <= Math.max(...ends)) { return { panel, layer, at }; }
        }
      }
    }
    return null;
  }

  /* The colours have changed. */
  recolour() {
    this.theme = this.asked.theme();
    this.redraw();
  }

  redraw() {
    if (!this.awaited) {
      this.awaited = requestAnimationFrame(() => { this.awaited = 0; this.draw(); });
    }
  }

  draw() {
    const scale = devicePixelRatio || 1, width = this.width, height = this.height;
    if (this.canvas.width !== Math.round(width * scale)) { this.canvas.width = Math.round(width * scale); }
    if (this.canvas.height !== Math.round(height * scale)) { this.canvas.height = Math.round(height * scale); }
    const pen = this.pen = this.canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = '11px "Inter","Segoe UI",system-ui,sans-serif';
    pen.textBaseline = "middle";
    pen.fillStyle = this.theme.base;
    pen.fillRect(0, 0, width, height);
    this.axis();
    for (const panel of this.panels) { this.panel(panel); }
    if (this.hair !== null) {
      pen.fillStyle = this.theme.faint;
      pen.fillRect(Math.round(this.x(this.hair)), TOP, 1, height - TOP);
    }
    this.drawn += 1;
  }

  axis() {
    const pen = this.pen, span = this.view[1] - this.view[0];
    const rough = span / Math.max((this.width - LEFT) / 110, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(power * [1, 2, 5, 10].find((each) => each * power >= rough), 1);
    pen.textAlign = "left";
    for (let at = Math.ceil(this.view[0] / step) * step; at <= this.view[1]; at += step) {
      const x = Math.round(this.x(at));
      pen.fillStyle = this.theme.grid;
      pen.fillRect(x, TOP - 6, 1, this.height);
      pen.fillStyle = this.theme.faint;
      pen.fillText(at.toLocaleString("en"), x + 3, 8);
    }
    pen.textAlign = "right";
    pen.fillText("cycles", LEFT - 8, 8);
  }

  panel(panel) {
    const pen = this.pen, marked = [];
    pen.textAlign = "left";
    pen.fillStyle = this.theme.faint;
    if (panel.title) { pen.fillText(panel.title, LEFT + 2, panel.y - 10); }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, panel.y - 1, this.width - LEFT, panel.px + 2);
    pen.clip();
    for (const layer of panel.layers) { this.layer(panel, layer, marked); }
    if (!panel.rows) { this.limit(panel); }
    /* A line in a line, which is seen on every colour. */
    for (const [colour, width] of [[this.theme.base, 5], [this.theme.accent, 2.5]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      for (const box of marked) { pen.strokeRect(...box); }
    }
    pen.restore();
    this.side(panel);
  }

  layer(panel, layer, marked) {
    const pen = this.pen, ends = new Map(), { left, right, bottom, top } = layer;
    for (let at = 0; at < left.length; at += 1) {
      if (right[at] < this.view[0] || left[at] > this.view[1]) { continue; }
      const x = this.x(left[at]), y1 = this.y(panel, bottom[at]), y2 = this.y(panel, top[at]);
      const width = Math.max(this.x(right[at]) - x, 1), y = Math.min(y1, y2);
      const isMarked = this.asked.isMarked(panel, layer, at);
      /* Of what begins in one pixel of a row and is no wider, one is seen. */
      const tone = this.asked.toneOf(panel, layer, at);
      if (width <= 1 && !isMarked && !tone && ends.get(y) === Math.floor(x)) { continue; }
      if (width <= 1) { ends.set(y, Math.floor(x)); }
      const height = Math.max(Math.abs(y2 - y1), 1), own = this.theme.inks[layer.inks[layer.ink[at]]];
      /* A rule's colour has the pattern of the class. */
      const ink = tone ? [...this.theme.inks[tone].slice(0, 2), own[2]] : own;
      pen.globalAlpha = isMarked || !this.asked.isMissed(panel, layer, at) ? 1 : 0.22;
      pen.fillStyle = ink[0];
      /* Neighbours keep a line between them, so that equal ones can be counted. */
      pen.fillRect(x, y, width > 3 ? width - 1 : width, height > 3 ? height - 0.5 : height);
      if (ink[2] !== "solid" && width > 3) {
        pen.fillStyle = this.tile(ink[2]);
        pen.fillRect(x, y, width - 1, height);
      }
      if (layer.labels.length && width > 28 && height >= 10) {
        this.label(layer.labels[at], Math.max(x, LEFT), Math.min(x + width, this.width), y + height / 2, ink[1]);
      }
      if (isMarked) { marked.push([x, y, Math.max(width - 1, 2), height]); }
    }
    pen.globalAlpha = 1;
  }

  label(text, from, to, middle, colour) {
    const room = Math.floor((to - from - 6) / LETTER);
    if (room < 3 || !text) { return; }
    this.pen.fillStyle = colour;
    this.pen.fillText(text.length <= room ? text : `${text.slice(0, room - 1)}\u2026`, from + 3, middle);
  }

  limit(panel) {
    const pen = this.pen;
    if (panel.limit !== null && panel.limit <= panel.top) {
      pen.strokeStyle = this.theme.danger;
      pen.setLineDash([6, 3]);
      pen.beginPath();
      pen.moveTo(LEFT, this.y(panel, panel.limit));
      pen.lineTo(this.width, this.y(panel, panel.limit));
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  /* Names of rows, and sizes. */
  side(panel) {
    const pen = this.pen;
    pen.textAlign = "right";
    pen.fillStyle = this.theme.text;
    for (const [y, text] of panel.marks) { pen.fillText(text, LEFT - 8, this.y(panel, y)); }
    pen.textAlign = "left";
  }

  tile(name) {
    const key = `${name} ${this.theme.text}`;
    this.tiles ??= new Map();
    if (!this.tiles.has(key)) {
      const tile = new OffscreenCanvas(TILE, TILE), pen = tile.getContext("2d");
      pen.strokeStyle = this.theme.text;
      pen.globalAlpha = 0.35;
      for (const [x1, y1, x2, y2] of TILES[name]) {
        pen.beginPath();
        pen.moveTo(x1, y1);
        pen.lineTo(x2, y2);
        pen.stroke();
      }
      this.tiles.set(key, this.pen.createPattern(tile, "repeat"));
    }
    return this.tiles.get(key);
  }
}
