// Requests to the API of this service.

import { filled, t } from "./texts.js";

/** An error that the API has answered, or that no answer came. */
export class ApiError extends Error {
  /**
   * @param {number} status HTTP status; 0 when no answer came
   * @param {string} code code of the error body
   * @param {string} message sentence for people
   * @param {object} details plain values
   */
  constructor(status, code, message, details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The path below which a proxy serves this service, or nothing. */
export const root = document.documentElement.dataset.root ?? "";

/** Return the address of an API path: below the root, unless it is absolute. */
export const rooted = (address) => (address.startsWith("/api/") ? root + address : address);

/**
 * Return the JSON that an address answers.
 * @param {string} address path of the API, or from a response of the service
 * @param {RequestInit} options as for fetch
 * @throws {ApiError} for every response that is not a success
 */
export async function getJson(address, options = {}) {
  let answer;
  try {
    answer = await fetch(rooted(address), { headers: { Accept: "application/json" }, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "NO_ANSWER", t.no_answer);
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok || body === null || body.ok === false) {
    const error = body?.error ?? {};
    throw new ApiError(answer.status, error.code ?? "UNKNOWN", error.message ?? filled(t.bad_answer, { status: answer.status }), error.details);
  }
  return body;
}

/** Send a value as JSON and return the answer; see getJson. */
export function postJson(address, value = {}, options = {}) {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  return getJson(address, { method: "POST", body: JSON.stringify(value), ...options, headers: { ...headers, ...options.headers } });
}

/** Return the data that the server has put into the page: `<script type="application/json" id="...">`. */
export function pageData(id) {
  const element = document.getElementById(id);
  return element === null ? null : JSON.parse(element.textContent);
}
