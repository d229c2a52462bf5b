/** How an agent deals with XMPP. The name follows the convention of protocol 3.0 section 4.2. */
export const XMPP_SKILL = `---
name: connector-im-xmpp
description: Talk to the person behind an XMPP (Jabber) address through the agent's own XMPP account. Use it when a message arrived from XMPP, or when the person asked to be told something on XMPP.
---

# XMPP

A channel is a conversation between the agent's own XMPP account and one person, whose address was named at the sign-in. Messages of
anybody else never arrive.

## Answering

- An answer to a message of this channel is delivered by itself. Do not send it again with a tool.
- Text is shown as it is written; most clients show a little formatting, such as \`*bold*\`, \`_italic_\` and fenced code.
- A text of more than about 48 KiB is sent as several messages.
- Where the person's client shows corrections, unfinished answers grow in one message; elsewhere only the finished answer appears.
- A correction that the person makes to an earlier message arrives as a new message with the corrected text.

## Writing first

- \`xmpp_message_send\` sends \`text\` to the person.
- \`xmpp_file_send\` sends a file that was uploaded before, named by \`file_ref\`, with an optional \`text\`. The file goes to the account's
  own server and the person gets a link; a server without file upload refuses it.
- Pass \`connector_channel_id\` unchanged, as it came with the message or from \`connector_channels_list\`.

## What it can't do

- Messages that the person's client encrypted end to end (OMEMO, OpenPGP) can't be read; ask them to switch encryption off for this chat.
- There are no group chats.
`;
