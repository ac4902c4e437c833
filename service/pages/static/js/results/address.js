// State in the address of the page: row, atom, context, filter, order, camera.

/** Return the value of one parameter, "" if it is missing. @param {string} name */
export function parameter(name) {
  return new URLSearchParams(location.search).get(name) ?? "";
}

/**
 * Change parameters of the address.
 * @param {Record<string, string|string[]|null>} changes null and "" take a parameter away
 * @param {boolean} push whether "back" leads to the address before
 */
export function change(changes, push = false) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of Array.isArray(value) ? value : [value ?? ""]) if (one !== "") query.append(name, one);
  }
  const text = query.toString();
  const address = `${location.pathname}${text === "" ? "" : `?${text}`}`;
  if (address === `${location.pathname}${location.search}`) return;
  if (push) history.pushState(null, "", address);
  else history.replaceState(history.state, "", `${address}${location.hash}`);
}
