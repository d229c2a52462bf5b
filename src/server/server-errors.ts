/** The port is held by someone else; the person must free it or choose another. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly code = 'port_in_use';
  constructor(readonly port: number) {
    super(`port ${port} is already in use`);
  }
}

/** The system does not let this program listen on the port (below 1024, or reserved). */
export class PortForbiddenError extends Error {
  override readonly name = 'PortForbiddenError';
  readonly code = 'port_forbidden';
  constructor(readonly port: number) {
    super(`this system does not allow port ${port}`);
  }
}

/** A server option that can't be served as written. `key` is its place in the configuration file. */
export class ServerConfigError extends Error {
  override readonly name = 'ServerConfigError';
  readonly code = 'invalid_config';
  constructor(
    readonly key: string,
    message: string,
  ) {
    super(`${key} ${message}`);
  }
}
