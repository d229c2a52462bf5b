/** An address without its resource: who, at which server. */
export interface BareJid {
  readonly local: string;
  readonly domain: string;
}

/** RFC 7622: each part at most 1023 bytes; these may not stand in a local part. */
const MAX_PART_BYTES = 1_023;
const NOT_LOCAL = /["&'/:<>@\s\p{Cc}]/u;
const NOT_DOMAIN = /[/@<>&"'\s\p{Cc}]/u;

/**
 * Reads an address such as `ada@example.org`, with or without a resource, as a person types it. Both parts are compared without
 * regard to case (RFC 7622).
 * @returns undefined when it names nobody
 */
export function parseJid(text: string): BareJid | undefined {
  const bare = (
    text
      .trim()
      .replace(/^xmpp:/i, '')
      .split('/', 1)[0] ?? ''
  )
    .normalize('NFC')
    .toLowerCase();
  const at = bare.indexOf('@');
  const local = bare.slice(0, at);
  const domain = bare.slice(at + 1).replace(/\.$/, '');
  if (at < 1 || NOT_LOCAL.test(local) || domain === '' || NOT_DOMAIN.test(domain)) return undefined;
  if (Buffer.byteLength(local) > MAX_PART_BYTES || Buffer.byteLength(domain) > MAX_PART_BYTES) return undefined;
  return { local, domain };
}

export function bareOf({ local, domain }: BareJid): string {
  return `${local}@${domain}`;
}

/** The bare part of a full address as it stands in a stanza. */
export function toBare(jid: string | undefined): string {
  return (jid ?? '').split('/', 1)[0]?.toLowerCase() ?? '';
}

/** The resource of a full address; empty for a bare one. */
export function resourceOf(jid: string): string {
  const slash = jid.indexOf('/');
  return slash < 0 ? '' : jid.slice(slash + 1);
}

/** `a•••@example.org`, fit for a descriptor. */
export function redactedJid({ local, domain }: BareJid): string {
  return `${Array.from(local)[0] ?? ''}•••@${domain}`;
}
