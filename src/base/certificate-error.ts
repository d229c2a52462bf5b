import { errorCode } from './error-code.js';

/** Codes of OpenSSL and Node for a certificate that is not taken: expired, self-signed, of an unknown authority, for another name. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_)/;

/** Whether a socket's error is about the certificate of the other side. */
export function isCertificateError(error: unknown): boolean {
  return CERTIFICATE.test(errorCode(error) ?? '');
}
