// The machine's own timers and calendar, taken before they are replaced. Whoever of ours runs beside foreign code takes them
// from here; import this file before anything installs simulated ones.

export const native = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  Date: globalThis.Date,
  abortAfter: AbortSignal.timeout.bind(AbortSignal),
  performanceNow: performance.now.bind(performance),
} as const;
