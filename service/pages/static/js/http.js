// Requests to the API of this service.

import { filled, t } from "./texts.js";

/** A response that is not a success, with its HTTP status; 0 if no response came. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The path below which a proxy serves this service, or nothing. */
export const root = document.documentElement.dataset.root ?? "";

/** Return the address of an API path: below the root, unless it is absolute. */
export const rooted = (address) => (address.startsWith("/api/") ? root + address : address);

/**
 * Return a response.
 * @param {string} address path of the API, or from a response of the service
 * @param {RequestInit} options as for fetch
 * @throws {ApiError} for every response that is not a success
 */
async function responseOf(address, options) {
  let response;
  try {
    response = await fetch(rooted(address), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, t.no_answer);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new ApiError(response.status, body?.error?.message ?? filled(t.bad_answer, { status: response.status }));
}

/** Return the JSON that an address answers; see responseOf. */
export async function getJson(address, options = {}) {
  return (await responseOf(address, { headers: { Accept: "application/json" }, ...options })).json();
}

/** Return the text of a file; see responseOf. */
export async function getText(address, options = {}) {
  return (await responseOf(address, options)).text();
}

/** Return a page, or a part of one, as a document; see responseOf. */
export async function getPage(address, options = {}) {
  const text = await getText(address, { headers: { Accept: "text/html" }, ...options });
  return new DOMParser().parseFromString(text, "text/html");
}

/** Return the data that the server has put into the page: `<script type="application/json" id="...">`. */
export function pageData(id) {
  const element = document.getElementById(id);
  return element === null ? null : JSON.parse(element.textContent);
}
