import type { Connector } from '../connector/connector.js';
import type { ConnectorCard } from '../protocol/index.js';
import { answer } from './http/answer.js';
import { HttpRefusal, JSON_TYPE } from './http/refusal.js';
import type { Route } from './http/route.js';

/** What `GET /health` answers; section 4.3. It speaks of the endpoint alone and stays 200 while the chat network is down. */
interface Health {
  readonly status: 'ok';
  readonly connector_card_id: string;
  readonly connector_card_version: string;
  readonly protocol_version: string;
  readonly build: ConnectorCard['build'];
}

/** The three control-plane endpoints of one connector (protocol 3.0 section 4). */
export function controlPlaneRoutes(connector: Connector): Route[] {
  // A card never changes while it runs, so neither do these three answers.
  const card = JSON.stringify(connector.card);
  const health = JSON.stringify(healthOf(connector.card));
  return [
    {
      method: 'GET',
      path: '/connector-card.json',
      access: 'public',
      handle(ctx) {
        answer(ctx, JSON_TYPE, card);
      },
    },
    {
      method: 'GET',
      path: '/skill.md',
      access: 'public',
      handle(ctx) {
        if (connector.skill === '') throw new HttpRefusal({ status: 404, code: 'skill_not_found' });
        answer(ctx, 'text/markdown; charset=utf-8', connector.skill);
      },
    },
    {
      method: 'GET',
      path: '/health',
      access: 'key',
      handle(ctx) {
        answer(ctx, JSON_TYPE, health);
      },
    },
  ];
}

function healthOf(card: ConnectorCard): Health {
  return {
    status: 'ok',
    connector_card_id: card.connector_card_id,
    connector_card_version: card.connector.version,
    protocol_version: card.protocol_version,
    build: card.build,
  };
}
