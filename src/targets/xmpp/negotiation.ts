import type { BareJid } from './addresses.js';
import type { Endpoint } from './endpoints.js';
import { credentialsRefused, lineLost, lineRefused, saslFailure } from './errors.js';
import { NS } from './namespaces.js';
import { chooseMechanism, SaslBroken } from './sasl.js';
import { childOf, childrenOf, el, textOf, type Stanza } from './stanza.js';

/** What the negotiation of a stream needs of the line under it. */
export interface Negotiable {
  readonly secure: boolean;
  /** Sends one element and gives the next one that is no stanza. */
  exchange(element: Stanza): Promise<Stanza>;
  /** The features the server announces next. */
  features(): Promise<Stanza>;
  /** Continues on TLS, with a certificate that is valid for the domain. */
  startTls(): Promise<void>;
  /** Opens the stream anew on the same connection. */
  restart(): Promise<void>;
  /** Sends an IQ and gives its result. */
  set(child: Stanza): Promise<Stanza>;
}

export interface Login {
  readonly account: BareJid;
  readonly password: string;
  readonly resource: string;
  readonly endpoint: Endpoint;
}

/**
 * From the opened stream to a bound resource (RFC 6120 sections 5 to 7).
 * @returns our full address, and what the server offers from then on
 * @throws TargetRefusal `tls_required`, `certificate_refused`, `mechanism_unsupported`, `credentials_refused`; TransportError
 */
export async function negotiate(line: Negotiable, login: Login): Promise<{ jid: string; features: Stanza }> {
  const secured = await secure(line, await line.features(), login.endpoint);
  await authenticate(line, secured, login);
  await line.restart();
  const features = await line.features();
  const bound = await line.set(el('bind', { xmlns: NS.bind }, el('resource', { xmlns: NS.bind }, login.resource)));
  const jid = textOf(childOf(childOf(bound, 'bind', NS.bind), 'jid', NS.bind));
  if (jid === '') throw lineLost('bad_answer', 'The server did not name our address', 'none');
  return { jid, features };
}

/** TLS wherever it is offered or due. To this machine itself a plain stream is left as it is. */
async function secure(line: Negotiable, features: Stanza, { mayBePlain }: Endpoint): Promise<Stanza> {
  if (line.secure) return features;
  const offer = childOf(features, 'starttls', NS.tls);
  const plainWorks = mayBePlain && !childOf(offer, 'required', NS.tls) && mechanismsOf(features).length > 0;
  if (plainWorks) return features;
  if (!offer) throw mayBePlain ? lineRefused('mechanism_unsupported') : lineRefused('tls_required');
  await line.startTls();
  await line.restart();
  return line.features();
}

async function authenticate(line: Negotiable, features: Stanza, login: Login): Promise<void> {
  const { account, password, endpoint } = login;
  const run = chooseMechanism(mechanismsOf(features), account.local, password, line.secure || endpoint.mayBePlain);
  if (!run) throw lineRefused('mechanism_unsupported');
  try {
    let answer = await line.exchange(el('auth', { xmlns: NS.sasl, mechanism: run.mechanism }, encoded(run.first)));
    while (answer.name === 'challenge') {
      const text = decoded(answer);
      // A server may send its proof as a last challenge instead of with the success.
      const isProof = text.startsWith('v=');
      if (isProof) run.verify(text);
      const response = isProof ? '' : await run.answer(text);
      answer = await line.exchange(el('response', { xmlns: NS.sasl }, encoded(response)));
      if (isProof && answer.name === 'success') return;
    }
    if (answer.name === 'failure') throw saslFailure(answer);
    if (answer.name !== 'success') throw lineLost('bad_answer', 'The server did not answer the sign-in', 'none');
    run.verify(decoded(answer));
  } catch (error) {
    // Whoever can't prove to know the password is not the account's server.
    throw error instanceof SaslBroken ? credentialsRefused() : error;
  }
}

function mechanismsOf(features: Stanza): string[] {
  return childrenOf(childOf(features, 'mechanisms', NS.sasl), 'mechanism', NS.sasl).map(textOf);
}

/** An empty message is written as one equals sign (RFC 6120 section 6.4.2); an empty response as nothing. */
function encoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function decoded(element: Stanza): string {
  const text = textOf(element);
  return text === '=' ? '' : Buffer.from(text, 'base64').toString('utf8');
}
