// What the page asks for, over HTTP or from a bundle; the views never know which.
//
// A bundle is there when its own script has set `globalThis.worldlineBundle` before any module ran. The token of
// the printed address is taken out of the hash here, once, before a router reads it. Nothing is cached: what is
// shown again and again is kept by the view that shows it (windowed.js).

import { bundled } from "./bundled.js";

const STORED = "worldline-token";

/** A refusal of the server, in its words; `slug` is for code, `message` for people. */
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
  const found = /^#token=([A-Za-z0-9_-]+)(.*)$/s.exec(hash);
  return found ? { token: found[1], rest: found[2] ? `#${found[2].replace(/^[#&]+/, "")}` : "#/" } : null;
}

function takeToken() {
  const found = tokenIn(location.hash);
  if (found) {
    store(found.token);
    history.replaceState(null, "", `${location.pathname}${location.search}${found.rest}`);
  }
  return found ? found.token : stored();
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

/** `{a: 1, b: null}` as `?a=1`; nothing is written for null, undefined and "". */
export function query(params = {}) {
  const said = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : "";
}

async function refusal(response) {
  let told = {};
  try {
    told = (await response.json()).error ?? {};
  } catch {
    // not JSON: a proxy, or a server that is going down
  }
  const words = told.slug === "token" ? "This page needs the address that `worldline view` printed: its token is missing or old." : null;
  return new ApiError(told.slug ?? `http-${response.status}`, words ?? told.message ?? `The server said ${response.status}.`, response.status);
}

/** Server-sent events out of a stream of text: `take(text)` gives those that are complete. */
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
      const found = await get("runs", {}, signal);
      live = Boolean(found.live);
      return found;
    },
    overview: (run, params, signal) => get(`runs/${encodeURIComponent(run)}/overview`, params, signal),
    samples: (run, params, signal) => get(`runs/${encodeURIComponent(run)}/samples`, params, signal),
    sample: (run, at, params, signal) => get(sampleAt(run, at), params, signal),
    timeline: (run, at, params, signal) => get(`${sampleAt(run, at)}/timeline`, params, signal),
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
    isLive: () => live,
    isBundle: () => false,
  };
}

/**
 * runs(), overview(run, params), samples(run, params), sample(run, at, params), timeline(run, at, params),
 * chunk(run, at, k, params): each takes an AbortSignal last. branch(run, at, body), stop(run, at, b),
 * program(body), events(run, at, b, onEvent(name, data), signal): resolves when the stream ends.
 * isLive() is known after runs(); isBundle() at once.
 */
export const api = globalThis.worldlineBundle ? bundled(globalThis.worldlineBundle, ApiError) : overHttp(takeToken());
