/** Where the client logs; the test that drives it sets a folder of its own. */
export function resolvePreferredOpenClawTmpDir() {
  return process.env['OPENCLAW_STATE_DIR'] ?? '/nonexistent';
}

/** Nobody else is there to be locked out. */
export function withFileLock(_path, _options, fn) {
  return fn();
}
