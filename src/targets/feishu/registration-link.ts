import { gzipSync } from 'node:zlib';
import type { GroupMessages } from './inbound.js';

/** Feishu's page behind the QR code. Some people are told at one of them that the link expired; the other one then works. */
export type RegistrationPage = 'launcher' | 'cli';

/**
 * What the app asks for, and why. Whatever of it the person's company does not grant is missed by one feature alone.
 * - `im:message.p2p_msg:readonly`, `im:message.group_at_msg:readonly`: what is written to the bot
 * - `im:message:send_as_bot`: answers
 * - `im:resource`: files, both ways
 * - `im:message.reactions:write_only`, `im:message.reactions:read`: the typing reaction, and finding one left behind
 * - `cardkit:card:write`: answers that grow while they are written
 */
function scopesOf(groups: GroupMessages): string[] {
  return [
    'im:message.p2p_msg:readonly',
    ...(groups === 'ownerMentions' ? ['im:message.group_at_msg:readonly'] : []),
    'im:message:send_as_bot',
    'im:resource',
    'im:message.reactions:write_only',
    'im:message.reactions:read',
    'cardkit:card:write',
  ];
}

const APP_NAME = 'xAgent';
const APP_DESCRIPTION = 'Connects this person to their agent.';

/**
 * The link a person opens by scanning.
 * @param given `verification_uri_complete` of the registration
 */
export function registrationLink(given: URL, page: RegistrationPage, groups: GroupMessages): string {
  const link = new URL(given);
  link.pathname = link.pathname.replace(/\/page\/(?:launcher|cli)\/?$/, `/page/${page}`);
  const addons = {
    preset: false,
    scopes: { tenant: scopesOf(groups), user: [] },
    events: { items: { tenant: ['im.message.receive_v1'] } },
  };
  const parameters = {
    from: 'sdk',
    source: 'node-sdk',
    tp: 'sdk',
    name: APP_NAME,
    desc: APP_DESCRIPTION,
    addons: gzipSync(JSON.stringify(addons)).toString('base64url'),
    createOnly: 'true',
  };
  for (const [name, value] of Object.entries(parameters)) link.searchParams.set(name, value);
  return link.toString();
}
