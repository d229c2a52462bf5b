import * as channels from 'node:diagnostics_channel';

/**
 * What the oldest runtime that the tests use (Electron 25, Node 18.15) lacks of what our libraries take for granted. To be
 * imported before them.
 *
 * pino asks for a tracing channel (Node 18.19) when it is loaded. One that nobody listens to is all it needs.
 */
const known: object = channels;
const module_: Record<string, unknown> = 'default' in known ? (known.default as Record<string, unknown>) : {};
module_['tracingChannel'] ??= () => ({
  hasSubscribers: false,
  traceSync: (fn: (...args: unknown[]) => unknown, _context: unknown, self: unknown, ...args: unknown[]) =>
    fn.apply(self, args),
});
