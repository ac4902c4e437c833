// The 3D library: loaded when the first structure is shown, never before.

let loading = null;

/** Whether this browser can draw in 3D. */
export function hasWebGl() {
  try {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null;
  } catch {
    return false;
  }
}

/**
 * Return 3Dmol.js.
 * @param {string} address where the service has it
 * @returns {Promise<any>}
 */
export function load3Dmol(address) {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", () => (window.$3Dmol ? resolve(window.$3Dmol) : reject(new Error("3Dmol.js did not start"))));
    script.addEventListener("error", () => {
      loading = null;
      reject(new Error("3Dmol.js could not be loaded"));
    });
    document.head.append(script);
  });
  return loading;
}
