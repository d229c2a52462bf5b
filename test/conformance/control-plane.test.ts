import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostProcess } from '../support/host-process.js';
import { ask } from '../support/http-client.js';
import { checkCard, records } from '../support/wire-rules.js';

const KNOWN = [
  {
    name: 'telegram',
    skill: 'connector-im-telegram',
    flow: 'telegram_bot_binding',
    tools: ['telegram_message_send', 'telegram_file_send'],
  },
  {
    name: 'local',
    skill: 'connector-im-local',
    flow: 'local_pairing',
    tools: ['local_message_send', 'local_file_send'],
  },
] as const;

describe('control plane (protocol 3.0 section 4)', () => {
  let host: HostProcess;
  beforeAll(async () => {
    host = await HostProcess.start();
  });
  afterAll(() => host.destroy());

  describe.each(KNOWN)('/$name', ({ name, skill, flow, tools }) => {
    const read = (path: string) => ask(`${host.base(name)}${path}`);

    it('4.1: the card is public JSON and holds every written rule', async () => {
      const answer = await read('/connector-card.json');
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(checkCard(answer.json())).toEqual([]);
    });

    it('4.1 and contract: the card carries the promised id, tools, flow and profile', async () => {
      const card = (await read('/connector-card.json')).json();
      expect(card['connector_card_id']).toBe(`im.${name}`);
      expect(records(card['tools']).map((tool) => tool['tool_id'])).toEqual(tools);
      expect(records(card['auth_flows']).map((f) => f['id'])).toContain(flow);
      expect(card['supports']).toMatchObject({ profiles: ['xagent.im.v2'], target_types: ['im'] });
      expect(card['security']).toMatchObject({ api_key_required: true, trust_level: 'local' });
    });

    it('4.1: every field of a form flow that is secret is a password, and the other way round', async () => {
      const card = (await read('/connector-card.json')).json();
      for (const field of records(card['auth_flows']).flatMap((f) => records(f['fields']))) {
        expect(field['secret'] === true).toBe(field['input_type'] === 'password');
      }
    });

    it('4.2: the skill is public Markdown whose header name is the one tools point to', async () => {
      const answer = await read('/skill.md');
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/markdown/);
      const named = /^---\r?\n(?:.*\r?\n)*?name:\s*["']?([a-z0-9-]+)["']?\s*\r?\n/.exec(answer.text)?.[1];
      expect(named).toBe(skill);
      const card = (await read('/connector-card.json')).json();
      for (const tool of records(card['tools'])) expect(tool['related_skill_ids']).toContain(skill);
      for (const tool of tools) expect(answer.text).toContain(tool);
    });

    it('4.3 and R39: health agrees with the card in id, version, protocol and build', async () => {
      const card = (await read('/connector-card.json')).json();
      const answer = await ask(`${host.base(name)}/health`, { headers: { authorization: `Bearer ${host.apiKey}` } });
      expect(answer.status).toBe(200);
      const connector = card['connector'];
      expect(answer.json()).toEqual({
        status: 'ok',
        connector_card_id: card['connector_card_id'],
        connector_card_version:
          typeof connector === 'object' && connector !== null && 'version' in connector ? connector.version : undefined,
        protocol_version: '3.0',
        build: card['build'],
      });
    });

    it('4.3: health without the system key is 401', async () => {
      expect((await read('/health')).status).toBe(401);
    });

    it.each(['/connector-card.json', '/skill.md'])('R37: HEAD %s is GET without its body', async (path) => {
      const get = await read(path);
      const head = await ask(`${host.base(name)}${path}`, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.body).toHaveLength(0);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['content-length']).toBe(String(get.body.length));
    });

    it.each(['/connector-card.json', '/skill.md', '/health', '/ws'])(
      'R37: the wrong method on %s is 405 and says which are right',
      async (path) => {
        const answer = await ask(`${host.base(name)}${path}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${host.apiKey}` },
        });
        expect(answer.status).toBe(405);
        expect(answer.headers.allow).toContain('GET');
      },
    );

    it('R37: an unknown path is 404 as JSON', async () => {
      const answer = await ask(`${host.base(name)}/nothing-here`, {
        headers: { authorization: `Bearer ${host.apiKey}` },
      });
      expect(answer.status).toBe(404);
      expect(answer.json()['error']).toEqual(expect.any(String));
    });

    it('R42: names of older protocols are not served', async () => {
      for (const path of ['/media/uploads', '/media/refs/x']) {
        expect(
          (await ask(`${host.base(name)}${path}`, { headers: { authorization: `Bearer ${host.apiKey}` } })).status,
        ).toBe(404);
      }
    });

    it('GET /ws without an upgrade is refused, not left hanging', async () => {
      const answer = await ask(`${host.base(name)}/ws`, { headers: { authorization: `Bearer ${host.apiKey}` } });
      expect([400, 426]).toContain(answer.status);
    });

    it('L21: card and skill name no path, user or key of this machine', async () => {
      for (const path of ['/connector-card.json', '/skill.md']) {
        const { text } = await read(path);
        expect(text).not.toContain(host.dataDir);
        expect(text).not.toContain(host.apiKey);
        expect(text).not.toContain('127.0.0.1');
        expect(text).not.toMatch(/\/(home|root|Users|work)\//);
      }
    });
  });

  it('4.1: the card does not change with users: it is the same before and after a sign-in and a restart', async () => {
    const before = (await ask(`${host.base('local')}/connector-card.json`)).text;
    await host.restart();
    expect((await ask(`${host.base('local')}/connector-card.json`)).text).toBe(before);
  });

  it('a connector that is switched off is not there', async () => {
    const small = await HostProcess.start({ config: { connectors: { local: { enabled: false } } } });
    try {
      expect((await ask(`${small.base('local')}/connector-card.json`)).status).toBe(404);
      expect(JSON.stringify(small.ready)).not.toContain('im.local');
    } finally {
      await small.destroy();
    }
  });
});
