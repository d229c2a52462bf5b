/** The names of the extensions that are spoken here, by their XEP. */
export const NS = {
  client: 'jabber:client',
  streams: 'http://etherx.jabber.org/streams',
  streamErrors: 'urn:ietf:params:xml:ns:xmpp-streams',
  stanzaErrors: 'urn:ietf:params:xml:ns:xmpp-stanzas',
  tls: 'urn:ietf:params:xml:ns:xmpp-tls',
  sasl: 'urn:ietf:params:xml:ns:xmpp-sasl',
  bind: 'urn:ietf:params:xml:ns:xmpp-bind',
  roster: 'jabber:iq:roster',
  /** XEP-0004 */
  forms: 'jabber:x:data',
  /** XEP-0030 */
  discoInfo: 'http://jabber.org/protocol/disco#info',
  discoItems: 'http://jabber.org/protocol/disco#items',
  /** XEP-0059 */
  resultSet: 'http://jabber.org/protocol/rsm',
  /** XEP-0066 */
  oob: 'jabber:x:oob',
  /** XEP-0085 */
  chatStates: 'http://jabber.org/protocol/chatstates',
  /** XEP-0115 */
  caps: 'http://jabber.org/protocol/caps',
  /** XEP-0184 */
  receipts: 'urn:xmpp:receipts',
  /** XEP-0198 */
  acks: 'urn:xmpp:sm:3',
  /** XEP-0199 */
  ping: 'urn:xmpp:ping',
  /** XEP-0203 */
  delay: 'urn:xmpp:delay',
  /** XEP-0280 */
  carbons: 'urn:xmpp:carbons:2',
  /** XEP-0297 */
  forward: 'urn:xmpp:forward:0',
  /** XEP-0308 */
  correct: 'urn:xmpp:message-correct:0',
  /** XEP-0313 */
  archive: 'urn:xmpp:mam:2',
  /** XEP-0334 */
  hints: 'urn:xmpp:hints',
  /** XEP-0359 */
  stanzaIds: 'urn:xmpp:sid:0',
  /** XEP-0363 */
  upload: 'urn:xmpp:http:upload:0',
  /** XEP-0380 */
  encryption: 'urn:xmpp:eme:0',
  /** XEP-0384 as most clients send it */
  omemo: 'eu.siacs.conversations.axolotl',
  /** XEP-0384 since version 0.4 */
  omemo2: 'urn:xmpp:omemo:2',
  /** XEP-0373 */
  openpgp: 'urn:xmpp:openpgp:0',
  /** XEP-0027 */
  legacyPgp: 'jabber:x:encrypted',
} as const;
