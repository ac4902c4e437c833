// The 3D library: loaded when the first structure is shown, never before.

import { t } from "../texts.js";

let loading = null;

/** Whether this browser can draw in 3D. */
export function hasWebGl() {
  return drawnBy() !== null;
}

/**
 * Whether 3D is to be drawn with smooth edges, of four times as many pixels: not where the processor fills them all.
 * @returns {boolean}
 */
export function hasSmoothEdges() {
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(drawnBy() ?? "");
}

let renderer; // undefined before the first use

/** Return the name of the 3D renderer, if the browser reveals it; null without a renderer. @returns {string|null} */
function drawnBy() {
  if (renderer !== undefined) return renderer;
  renderer = null;
  try {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
    if (context !== null) {
      const unmasked = context.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL;
      renderer = String(context.getParameter(unmasked ?? context.RENDERER) ?? "");
      context.getExtension("WEBGL_lose_context")?.loseContext();
    }
  } catch {
    // no WebGL
  }
  return renderer;
}

/**
 * Return 3Dmol.js.
 * @param {string} address its address in the service
 * @returns {Promise<any>}
 */
export function load3Dmol(address) {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", () => (window.$3Dmol ? resolve(window.$3Dmol) : reject(new Error(t.did_not_start))));
    script.addEventListener("error", () => {
      loading = null;
      reject(new Error(t.library_not_loaded));
    });
    document.head.append(script);
  });
  return loading;
}
