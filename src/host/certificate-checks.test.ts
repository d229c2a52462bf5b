import { expect, test } from 'vitest';
import { keepCertificateChecks } from './certificate-checks.js';

test.each([
  ['0', true],
  ['1', false],
  [undefined, false],
])('certificates are checked, whatever the environment says: %s', (value, wasUnchecked) => {
  const env: NodeJS.ProcessEnv = { NODE_EXTRA_CA_CERTS: '/ca.pem' };
  if (value !== undefined) env['NODE_TLS_REJECT_UNAUTHORIZED'] = value;
  expect(keepCertificateChecks(env)).toBe(wasUnchecked);
  expect(env).toEqual({ NODE_EXTRA_CA_CERTS: '/ca.pem' });
});
