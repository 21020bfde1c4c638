/* Queries in the words of the app: core/base/query.py says what they mean. A query is a
   function of a thing, {texts, values}; a text that asks nothing sensible is an Error. */
"use strict";

function queryOf(text, fields, byteFields, shareFields) {
  const PART = /\s*(?:(\/(?:.*?\/(?=[\s)]|$)|.*))|("[^"]*"?)|(<=|>=|!=|=|<|>|~)|([()])|([^\s()<>=!~"]+|!))/y;
  const KINDS = ["pattern", "quoted", "sign", "bracket", "word"];
  const NUMBER = /^(0x[0-9a-f]{1,16}|\d{1,20}(?:\.\d{1,20})?)(%|[kmg]?)(?:i?b)?$/i;
  const SIGNS = {
    "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<=": (a, b) => a <= b,
    ">=": (a, b) => a >= b, "<": (a, b) => a < b, ">": (a, b) => a > b,
  };

  function parts() {
    if (/^\s*\/\S*\s*$/.test(text)) { return [{ kind: "pattern", text: text.trim() }]; }
    const found = [];
    PART.lastIndex = 0;
    for (let match; PART.lastIndex < text.length && (match = PART.exec(text));) {
      const at = match.slice(1).findIndex((part) => part !== undefined);
      found.push({ kind: KINDS[at], text: match[at + 1] });
    }
    return found;
  }

  function pattern(whole) {
    const inner = whole.length > 1 && whole.endsWith("/") ? whole.slice(1, -1) : whole.slice(1);
    if (!inner) { return null; }
    try { return new RegExp(inner, "i"); } catch (error) {
      throw new Error(`not a regular expression: ${error.message.split(": ").pop()}`);
    }
  }

  const tokens = parts();
  let at = 0;
  const isWord = (token, word) => token && token.kind === "word" && token.text.toLowerCase() === word;
  const plain = (token) => token.kind === "quoted" ? token.text.replace(/^"+|"+$/g, "") : token.text;
  const takes = (word) => isWord(tokens[at], word) && (at += 1, true);
  function taken(wanted) {
    if (at >= tokens.length) { throw new Error(`${wanted} is missing at the end`); }
    return tokens[at++];
  }

  function either() {
    const tests = [all()];
    while (takes("or")) { tests.push(all()); }
    return (thing) => tests.some((test) => test(thing));
  }
  function all() {
    const tests = [term()];
    const goesOn = () => at < tokens.length && tokens[at].text !== ")" && !isWord(tokens[at], "or");
    while (takes("and") || goesOn()) { tests.push(term()); }
    return (thing) => tests.every((test) => test(thing));
  }
  function term() {
    if (takes("not")) {
      const test = term();
      return (thing) => !test(thing);
    }
    const token = taken("a word, a pattern or a comparison");
    if (token.kind === "bracket" && token.text === "(") {
      const test = either();
      if (at >= tokens.length || taken(")").text !== ")") { throw new Error("a bracket is not closed"); }
      return test;
    }
    if (token.kind === "pattern") { return matches(pattern(token.text), (thing) => thing.texts); }
    if (token.kind === "sign" || token.kind === "bracket") {
      throw new Error(`'${token.text}' has nothing before it to belong to`);
    }
    if (token.kind === "word" && tokens[at] && tokens[at].kind === "sign") {
      const sign = taken("a sign").text;
      return comparison(token.text, sign, taken(`a value behind ${sign}`));
    }
    const word = plain(token).toLowerCase();
    return (thing) => thing.texts.some((each) => each.toLowerCase().includes(word));
  }
  function matches(found, textsOf) {
    return found === null ? () => true : (thing) => textsOf(thing).some((each) => found.test(each));
  }

  function comparison(name, sign, token) {
    const field = name.toLowerCase(), value = plain(token);
    if (!Object.hasOwn(fields, field)) {
      throw new Error(`unknown field '${name}'; known are ${Object.keys(fields).sort().join(", ")}`);
    }
    const has = (thing) => thing.values[field] !== null;
    const many = (thing) => [].concat(thing.values[field]).map(String);
    if (token.kind === "pattern") {
      const test = matches(pattern(value), many);
      return (thing) => has(thing) && test(thing);
    }
    if (fields[field] === "float") {
      const number = numberOf(field, value), compare = SIGNS[sign];
      if (!compare) { throw new Error(`${field} is a number: it is asked by =, !=, <=, >=, <, >`); }
      return (thing) => has(thing) && compare(thing.values[field], number);
    }
    if (!["=", "!=", "~"].includes(sign)) {
      throw new Error(`${field} is no number: it is asked by =, != or ~`);
    }
    const word = value.toLowerCase();
    const holdsWord = (thing) => fields[field] === "frozenset" ? many(thing).includes(word)
      : many(thing).some((each) => each.toLowerCase() === word
        || each.toLowerCase().split(/[^\p{L}\p{N}_%.]+/u).includes(word));
    const holdsPart = (thing) => many(thing).some((each) => each.toLowerCase().includes(word));
    const holds = sign === "~" ? holdsPart : sign === "=" ? holdsWord : (thing) => !holdsWord(thing);
    return (thing) => has(thing) && holds(thing);
  }
  function numberOf(field, value) {
    const match = NUMBER.exec(value.replaceAll(",", ""));
    if (!match) { throw new Error(`${field} is a number, and '${value}' is none: 64K, 3.2M, 5%, 0x100`); }
    const unit = match[2].toLowerCase();
    if (unit === "%" && !shareFields.includes(field)) {
      throw new Error(`${field} is no share: '${value}' is of ${shareFields.join(", ")}`);
    }
    const thousand = byteFields.includes(field) ? 1024 : 1000;
    return Number(match[1]) * (unit === "%" ? 0.01 : thousand ** " kmg".indexOf(unit || " "));
  }

  if (tokens.every((token) => token.kind === "pattern" && pattern(token.text) === null)) { return null; }
  const test = either();
  if (at < tokens.length) { throw new Error(`'${tokens[at].text}' has nothing before it to belong to`); }
  return test;
}
