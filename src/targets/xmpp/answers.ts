import { createHash } from 'node:crypto';
import { toBare } from './addresses.js';
import { NS } from './namespaces.js';
import { childOf, el, elementsOf, type Stanza } from './stanza.js';

/** What other clients may expect of us (XEP-0030); sorted, as the hash below wants it. */
const FEATURES = [NS.chatStates, NS.discoInfo, NS.oob, NS.receipts, NS.correct, NS.ping].sort();
const IDENTITY = { category: 'client', type: 'bot', name: 'xAgent Connector' } as const;
/** Names the program in XEP-0115; not an address that is visited. */
const CAPS_NODE = 'urn:xagent:connector';

/** XEP-0115 section 5.1. */
const CAPS_VERSION = createHash('sha1')
  .update(
    `${IDENTITY.category}/${IDENTITY.type}//${IDENTITY.name}<${FEATURES.map((feature) => `${feature}<`).join('')}`,
  )
  .digest('base64');

/** Says that we are there, and what we can do. */
export function availablePresence(): Stanza {
  return el('presence', {}, el('c', { xmlns: NS.caps, hash: 'sha-1', node: CAPS_NODE, ver: CAPS_VERSION }));
}

/** Answers a question of somebody else (RFC 6120 section 8.2.3: every question gets an answer). */
export function answerTo(iq: Stanza, ownBare: string): Stanza {
  const { id, from, type } = iq.attrs;
  const [question] = elementsOf(iq);
  const result = (child?: Stanza): Stanza => el('iq', { type: 'result', id, to: from }, child);
  if (type === 'get' && question?.name === 'ping' && question.ns === NS.ping) return result();
  if (type === 'get' && question?.name === 'query' && question.ns === NS.discoInfo) {
    return result(
      el(
        'query',
        { xmlns: NS.discoInfo, node: question.attrs['node'] },
        el('identity', { xmlns: NS.discoInfo, ...IDENTITY }),
        ...FEATURES.map((feature) => el('feature', { xmlns: NS.discoInfo, var: feature })),
      ),
    );
  }
  const isRosterPush = type === 'set' && question?.name === 'query' && question.ns === NS.roster;
  if (isRosterPush && (from === undefined || toBare(from) === ownBare)) return result();
  return el(
    'iq',
    { type: 'error', id, to: from },
    el('error', { type: 'cancel' }, el('service-unavailable', { xmlns: NS.stanzaErrors })),
  );
}

/** Whether a disco#info answer lists a feature. */
export function hasFeature(info: Stanza, feature: string): boolean {
  const query = childOf(info, 'query', NS.discoInfo);
  return elementsOf(query).some(({ name, attrs }) => name === 'feature' && attrs['var'] === feature);
}
