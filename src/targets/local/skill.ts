/** How an agent deals with the chat inside the program. The name follows the convention of protocol 3.0 section 4.2. */
export const SKILL = `---
name: connector-im-local
description: Talk to the person at this computer in the connector's own chat window. Use it when a message arrived from that chat, or when the person asked to be told something there.
---

# Chat on this computer

Messages of this channel come from the connector's own window on the person's computer. The person who writes is the
person who runs the connector; no network is between you.

## Answering

- An answer to a message of this channel is delivered by itself. Do not send it again with a tool.
- Markdown is shown as it is written. There is no length limit, and unfinished answers are shown while they grow.

## Writing first

- \`local_message_send\` shows \`text\` in the chat.
- \`local_file_send\` shows a file that was uploaded before, named by \`file_ref\`, with an optional \`text\`.
- Pass \`connector_channel_id\` unchanged, as it came with the message or from \`connector_channels_list\`.

## What it can't do

- The person sees messages only while the program runs; they wait in the chat until then.
- There are no groups: the chat has one person and one agent.
`;
