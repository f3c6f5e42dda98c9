// The API, over HTTP or from a bundle; the views do not know which.
//
// A bundle's first script sets `globalThis.worldlineBundle` before any module runs. The token of the printed address is
// removed from the hash here, before the router reads it. Nothing is cached here; the views cache what they show again.

import { bundled } from "./bundled.js";

const STORED = "worldline-token";

/** A refusal of the server; `slug` is for code, `message` for people. */
export class ApiError extends Error {
  constructor(slug, message, status) {
    super(message);
    this.name = "ApiError";
    this.slug = slug;
    this.status = status;
  }
}

/** `#token=T` and `#token=T/run/0`: the token, and the hash that is left. */
function tokenIn(hash) {
  const parsed = /^#token=([A-Za-z0-9_-]+)(.*)$/s.exec(hash);
  return parsed ? { token: parsed[1], rest: parsed[2] ? `#${parsed[2].replace(/^[#&]+/, "")}` : "#/" } : null;
}

function takeToken() {
  const parsed = tokenIn(location.hash);
  if (parsed) {
    store(parsed.token);
    history.replaceState(null, "", `${location.pathname}${location.search}${parsed.rest}`);
  }
  return parsed ? parsed.token : stored();
}

function store(token) {
  try {
    localStorage.setItem(STORED, token);
  } catch {
    // private windows may refuse; the token then lasts as long as this page
  }
}

function stored() {
  try {
    return localStorage.getItem(STORED) ?? "";
  } catch {
    return "";
  }
}

/** `{a: 1, b: null}` as `?a=1`; null, undefined and "" are left out. */
export function query(params = {}) {
  const entries = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : "";
}

async function refusal(response) {
  let failure = {};
  try {
    failure = (await response.json()).error ?? {};
  } catch {
    // not JSON: a proxy, or a server that is going down
  }
  const words = failure.slug === "token" ? "The token is missing or old: open the address that `worldline view` printed." : null;
  return new ApiError(failure.slug ?? `http-${response.status}`, words ?? failure.message ?? `The server answered with status ${response.status}.`, response.status);
}

/** Parses server-sent events: called with a piece of text, it returns the events that are complete. */
function eventReader() {
  let left = "";
  return (text) => {
    const blocks = (left + text).replace(/\r\n?/g, "\n").split("\n\n");
    left = blocks.pop();
    return blocks.map(readEvent).filter((event) => event !== null);
  };
}

function readEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}

function overHttp(token) {
  let live = false;

  async function send(path, { params, signal, method = "GET", body } = {}) {
    const headers = { "X-Worldline-Token": token };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(`api/${path}${query(params)}`, {
        method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError("no-server", "The server does not answer. Is `worldline view` still running?", 0);
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  async function get(path, params, signal) {
    return (await send(path, { params, signal })).json();
  }

  const sampleAt = (run, at) => `runs/${encodeURIComponent(run)}/samples/${encodeURIComponent(at)}`;

  return {
    async runs(signal) {
      const parsed = await get("runs", {}, signal);
      live = Boolean(parsed.live);
      return parsed;
    },
    overview: (run, params, signal) => get(`runs/${encodeURIComponent(run)}/overview`, params, signal),
    samples: (run, params, signal) => get(`runs/${encodeURIComponent(run)}/samples`, params, signal),
    sample: (run, at, params, signal) => get(sampleAt(run, at), params, signal),
    timeline: (run, at, params, signal) => get(`${sampleAt(run, at)}/timeline`, params, signal),
    runOverview: (run, at, signal) => get(`${sampleAt(run, at)}/run`, {}, signal),
    runChunk: (run, at, k, signal) => get(`${sampleAt(run, at)}/run/${k}`, {}, signal),
    // `key` is for bundles
    why: (run, at, { key, ...params }, signal) => get(`${sampleAt(run, at)}/why`, params, signal),
    chunk: (run, at, k, params, signal) => get(`${sampleAt(run, at)}/chunks/${k}`, params, signal),
    branch: async (run, at, body) => (await send(`${sampleAt(run, at)}/branches`, { method: "POST", body })).json(),
    async stop(run, at, b) {
      await send(`${sampleAt(run, at)}/branches/${b}`, { method: "DELETE" });
    },
    program: async (body) => (await send("programs", { method: "POST", body })).json(),
    async events(run, at, b, onEvent, signal) {
      const response = await send(`${sampleAt(run, at)}/branches/${b}/events`, { signal });
      const take = eventReader();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        for (const { name, data } of take(piece.value)) onEvent(name, data);
      }
    },
    quiz: (quiz, signal) => get(`quizzes/${quiz}`, {}, signal),
    question: (quiz, question, signal) => get(`quizzes/${quiz}/questions/${question}`, {}, signal),
    answer: async (quiz, question, answer) => (await send(`quizzes/${quiz}/questions/${question}/answer`, { method: "POST", body: { answer } })).json(),
    isLive: () => live,
    isBundle: () => false,
  };
}

/**
 * runs(), overview(run, params), samples(run, params), sample(run, at, params), timeline(run, at, params),
 * chunk(run, at, k, params), why(run, at, params), runOverview(run, at), runChunk(run, at, k): each takes an AbortSignal last. branch(run, at, body), stop(run, at, b),
 * program(body), events(run, at, b, onEvent(name, data), signal): resolves when the stream ends.
 * quiz(quiz), question(quiz, question), answer(quiz, question, text or null to reveal): exercises.
 * isLive() is known after runs(); isBundle() at once.
 */
export const api = globalThis.worldlineBundle ? bundled(globalThis.worldlineBundle, ApiError) : overHttp(takeToken());
