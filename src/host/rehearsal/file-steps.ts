import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { newId } from '../../base/ids.js';
import { FileStoreError } from '../../files/file-store.js';
import { fieldsOf, textOf } from '../../targets/json-fields.js';
import type { Play, Step } from './play.js';
import { fieldsIn, probe } from './probe.js';
import { must, StepFailure } from './step-failure.js';
import { takeMessage } from './talk-steps.js';

const FILENAME = 'rehearsal.bin';
const MIME_TYPE = 'application/octet-stream';
/** More than one write and one read; less than anybody waits for. Bytes. */
const FILE_BYTES = 200_000;
/** Answers of a server whose disk or quota is used up. */
const NO_ROOM = 507;

/** A file goes from the agent to the chat, and one from the chat to the agent; both arrive as they were. */
export const file: Step = async (play, signal) => {
  await fromAgent(play, randomBytes(FILE_BYTES), signal);
  await fromPerson(play, randomBytes(FILE_BYTES), signal);
};

async function fromAgent(play: Play, content: Buffer, signal: AbortSignal): Promise<void> {
  const { contentType, body } = form(content);
  const uploaded = await probe(`${play.stageUrl}/files/uploads`, {
    method: 'POST',
    headers: {
      ...play.agentHeaders,
      'content-type': contentType,
      'content-length': body.length,
      'x-xagent-connector-channel-id': play.channelId,
    },
    body,
    signal,
  });
  must(uploaded.status !== NO_ROOM, 'quota_exceeded');
  const fileRef = textOf(fieldsIn(uploaded)['file_ref']);
  must(uploaded.status === 200 && fileRef !== undefined, 'upload_refused', `answered ${uploaded.status}`);
  const { payload } = await play.played.request(
    'chat.message',
    { message_id: newId('msg'), files: [{ type: 'file', file_ref: fileRef }] },
    play.channelId,
  );
  must(payload['status'] === 'accepted', 'answer_refused');
  const shown = play.chat.file(play.accountId, fileRef);
  must(shown !== undefined, 'answer_not_shown', 'the chat does not have the file');
  must(content.equals(await readFile(shown.path)), 'file_differs');
}

async function fromPerson(play: Play, content: Buffer, signal: AbortSignal): Promise<void> {
  const token = await play.chat
    .upload(play.accountId, { filename: FILENAME, mimeType: MIME_TYPE }, Readable.from([content]), signal)
    .catch((error: unknown) => {
      throw error instanceof FileStoreError && error.code === 'quota' ? new StepFailure('quota_exceeded') : error;
    });
  const { messageId } = await play.chat.send(play.accountId, { text: '', files: [token] });
  await takeMessage(play, messageId, signal, async (payload) => {
    const [item] = Array.isArray(payload['files']) ? payload['files'].map(fieldsOf) : [];
    const path = textOf(item?.['download_url']);
    must(path !== undefined, 'message_not_offered', 'the message came without its file');
    const downloaded = await probe(`${play.stageUrl}${path}`, { headers: play.passHeader, signal });
    must(downloaded.status === 200 && content.equals(downloaded.body), 'file_differs');
  });
}

/** A form as agents send it (protocol 3.0 section 5.1). */
function form(content: Buffer): { contentType: string; body: Buffer } {
  const boundary = `rehearsal-${randomBytes(16).toString('hex')}`;
  const disposition = `form-data; name="file"; filename="${FILENAME}"`;
  const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${MIME_TYPE}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
