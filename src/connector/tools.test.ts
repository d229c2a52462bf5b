import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorRig } from '../../test/support/connector-rig.js';
import type { FakeLink } from '../../test/support/fake-link.js';
import type { OutboundVerdict } from '../delivery/delivery.js';
import type { ToolInvokePayload } from '../protocol/index.js';

describe('tool.invoke (sections 8.18 and 8.19)', () => {
  let rig: ConnectorRig;
  let link: FakeLink;
  let channelId: string;
  let accountId: string;
  beforeEach(async () => {
    rig = await ConnectorRig.start();
    link = rig.agent();
    ({ channelId, accountId } = await rig.signedIn(link));
  });
  afterEach(() => rig.stop());

  function invoke(
    args: Record<string, unknown> | null | undefined,
    more: Partial<ToolInvokePayload> = {},
    requestId = 'req_1',
  ) {
    return rig.connector.invokeTool(link, channelId, requestId, {
      tool_id: 'fake_message_send',
      ...(args !== undefined && { arguments: args }),
      ...more,
    });
  }

  function sendFile(args: Record<string, unknown>) {
    return invoke(args, { tool_id: 'fake_file_send' });
  }

  it('sends text to the conversation of the envelope’s channel and answers what the network said', async () => {
    const ack = await invoke({ connector_channel_id: 'cch_of_someone_else', text: 'Hello' });
    expect(ack).toEqual({ tool_id: 'fake_message_send', result: { status: 'sent', message_id: 'net-1' } });
    expect(rig.delivery.requests).toMatchObject([{ kind: 'tool', channelId, accountId, text: 'Hello', files: [] }]);
  });

  it('takes arguments without connector_channel_id, because only the envelope routes (R22)', async () => {
    await expect(invoke({ text: 'Hello' })).resolves.toBeDefined();
  });

  it('leaves message_id out where the network names none', async () => {
    rig.delivery.onDeliver = () => Promise.resolve({ status: 'accepted', messageIds: [] });
    expect((await invoke({ text: 'Hello' })).result).toEqual({ status: 'sent' });
  });

  it('answers a repetition with the result of the first call', async () => {
    rig.delivery.onDeliver = () => Promise.resolve({ status: 'duplicate', messageIds: ['net-7'] });
    expect((await invoke({ text: 'Hello' })).result).toEqual({ status: 'sent', message_id: 'net-7' });
  });

  it('answers a repetition from memory whatever has become of account and file since (R23)', async () => {
    rig.delivery.onRecall = ({ kind, fileRefs }) =>
      kind === 'tool' && fileRefs[0] === 'file_expired'
        ? Promise.resolve({ status: 'duplicate', messageIds: ['net-7'] })
        : undefined;
    const sent = { result: { status: 'sent', message_id: 'net-7' } };
    await expect(sendFile({ file_ref: 'file_expired' })).resolves.toMatchObject(sent);
    rig.target.session().report({ status: 'offline', code: 'network_unreachable', since: 1 });
    await expect(sendFile({ file_ref: 'file_expired' })).resolves.toMatchObject(sent);
    await rig.connector.authLogout(link, channelId);
    await expect(sendFile({ file_ref: 'file_expired' })).resolves.toMatchObject(sent);
    await expect(sendFile({ file_ref: 'file_other' })).rejects.toMatchObject({ code: 'connection_not_authenticated' });
    expect(rig.delivery.requests).toEqual([]);
  });

  describe('arguments', () => {
    it.each([
      ['nothing', undefined, 'argument text is required'],
      ['null', null, 'argument text is required'],
      ['no text', { connector_channel_id: 'x' }, 'argument text is required'],
      ['text that is a number', { text: 5 }, 'argument text must be a string'],
      ['empty text', { text: '' }, 'argument text must not be empty'],
      ['blank text', { text: ' \n ' }, 'argument text must not be empty'],
      [
        'an unknown argument',
        { text: 'a', chat_id: '5' },
        'unknown argument; this tool takes connector_channel_id, text',
      ],
      [
        'a channel id that is no text',
        { text: 'a', connector_channel_id: 5 },
        'argument connector_channel_id must be a string',
      ],
    ])('are refused with the name and the rule for %s, and nothing is sent', async (_case, args, message) => {
      await expect(invoke(args)).rejects.toMatchObject({ name: 'AckError', code: 'tool_invoke_failed', message });
      expect(rig.delivery.requests).toEqual([]);
    });

    it('are never quoted in an error', async () => {
      const error: unknown = await invoke({ text: 'a', S3CRET: 'S3CRET' }).catch((reason: unknown) => reason);
      expect(String(error)).not.toContain('S3CRET');
    });
  });

  describe('refusals', () => {
    it('an unknown tool (R22)', async () => {
      await expect(invoke({ text: 'a' }, { tool_id: 'fake_contact_search' })).rejects.toMatchObject({
        code: 'tool_invoke_failed',
      });
    });

    it('a channel without an account, or with an ended sign-in', async () => {
      const empty = await rig.newChannel(link);
      const call = { tool_id: 'fake_message_send', arguments: { text: 'a' } };
      const refused = { name: 'AckError', code: 'connection_not_authenticated' };
      await expect(rig.connector.invokeTool(link, empty, 'r', call)).rejects.toMatchObject(refused);
      for (const status of ['expired', 'revoked'] as const) {
        rig.target.session().report({ status, code: 'token_gone', since: 1 });
        await expect(invoke({ text: 'a' })).rejects.toMatchObject(refused);
      }
    });

    it.each(['offline', 'error'] as const)('an account that is %s', async (status) => {
      rig.target.session().report({ status, code: 'x', since: 1 });
      await expect(invoke({ text: 'a' })).rejects.toMatchObject({ code: 'connector_channel_unavailable' });
      expect(rig.delivery.requests).toEqual([]);
    });

    it('but not one that is degraded', async () => {
      rig.target.session().report({ status: 'degraded', code: 'slow', since: 1 });
      await expect(invoke({ text: 'a' })).resolves.toBeDefined();
    });

    it('a call that waited while its channel was signed out, as such and not as a network out of reach', async () => {
      const unreachable = {
        status: 'rejected',
        code: 'target_unreachable',
        message: 'later',
        retryable: true,
      } as const;
      rig.delivery.onDeliver = () => Promise.resolve(unreachable);
      await expect(invoke({ text: 'a' })).rejects.toMatchObject({ code: 'target_unreachable' });
      rig.delivery.onDeliver = async () => {
        await rig.connector.authLogout(link, channelId);
        return unreachable;
      };
      await expect(invoke({ text: 'a' })).rejects.toMatchObject({ code: 'connection_not_authenticated' });
    });

    it('what delivery refuses, with its code', async () => {
      rig.delivery.onDeliver = (): Promise<OutboundVerdict> =>
        Promise.resolve({
          status: 'rejected',
          code: 'delivery_unknown',
          message: 'it may have arrived',
          retryable: false,
        });
      await expect(invoke({ text: 'a' })).rejects.toMatchObject({
        name: 'AckError',
        code: 'delivery_unknown',
        message: 'it may have arrived',
      });
    });
  });

  describe('the repeated-call key (R23)', () => {
    async function keyOf(
      payload: Partial<ToolInvokePayload>,
      requestId = 'req_1',
      args: Record<string, unknown> = { text: 'a' },
    ) {
      await invoke(args, payload, requestId);
      return rig.delivery.requests.at(-1)?.id;
    }
    const call = { context: { session_id: 's', tool_call_id: 'c' } };

    it('is the model’s call within its session, whatever the request and the content', async () => {
      expect(await keyOf(call, 'req_1')).toBe(await keyOf(call, 'req_2', { text: 'other' }));
    });

    it('tells sessions, calls and tools apart', async () => {
      const file = rig.files.add({ fileRef: 'file_1', cardId: 'im.fake', channelId });
      const keys = [
        await keyOf(call),
        await keyOf({ context: { session_id: 's2', tool_call_id: 'c' } }),
        await keyOf({ context: { session_id: 's', tool_call_id: 'c2' } }),
        await keyOf({ context: { tool_call_id: 'c' } }),
        await keyOf({ ...call, tool_id: 'fake_file_send' }, 'req_1', { file_ref: file.fileRef }),
      ];
      expect(new Set(keys).size).toBe(keys.length);
    });

    it('falls back to the request id where no call is named', async () => {
      expect(await keyOf({}, 'req_1')).toBe(await keyOf({ context: null }, 'req_1'));
      expect(await keyOf({}, 'req_1')).not.toBe(await keyOf({}, 'req_2'));
    });

    it('is new every time where neither is named: equal content is no repetition', async () => {
      expect(await keyOf({}, '')).not.toBe(await keyOf({}, ''));
    });
  });

  describe('file send', () => {
    it('sends a file uploaded to this channel, with text', async () => {
      const file = rig.files.add({ fileRef: 'file_1', cardId: 'im.fake', channelId });
      await sendFile({ file_ref: 'file_1', text: 'see here' });
      expect(rig.delivery.requests).toMatchObject([{ text: 'see here', files: [file] }]);
    });

    it('forwards a file that this channel’s account received, without text', async () => {
      const file = rig.files.add({ fileRef: 'file_2', cardId: 'im.fake', accountId });
      await sendFile({ file_ref: 'file_2' });
      expect(rig.delivery.requests).toMatchObject([{ text: '', files: [file] }]);
    });

    it('refuses any other file: of another channel, another account, another connector, or none', async () => {
      rig.files.add({ fileRef: 'of_channel', cardId: 'im.fake', channelId: 'cch_other' });
      rig.files.add({ fileRef: 'of_account', cardId: 'im.fake', accountId: 'acc_other' });
      rig.files.add({ fileRef: 'of_connector', cardId: 'im.other', channelId });
      rig.files.add({ fileRef: 'of_nobody', cardId: 'im.fake' });
      for (const file_ref of ['of_channel', 'of_account', 'of_connector', 'of_nobody', 'unknown']) {
        await expect(sendFile({ file_ref })).rejects.toMatchObject({ name: 'AckError', code: 'file_ref_not_found' });
      }
      expect(rig.delivery.requests).toEqual([]);
    });

    it('needs a file', async () => {
      await expect(sendFile({ text: 'a' })).rejects.toMatchObject({ message: 'argument file_ref is required' });
    });
  });
});
