import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate of this test's own, which signs itself: whoever trusts `file` trusts it. PEM. */
export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
  remove(): Promise<void>;
}

export async function makeCertificate(host: string): Promise<TestCertificate> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const what = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const who = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  await run('openssl', ['req', '-x509', ...what, ...who, '-keyout', key, '-out', file]);
  return {
    key: await readFile(key, 'utf8'),
    cert: await readFile(file, 'utf8'),
    file,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
