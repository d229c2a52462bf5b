import { primarySkillName } from '../../protocol/index.js';

/** The primary skill of `im.wechat`: how an agent answers, and what this network can't do. */
export const WECHAT_SKILL = `---
name: ${primarySkillName('im.wechat')}
description: Answer people who write to you through WeChat, and send them text and files.
---

# WeChat

Messages of this channel come from the one person who signed in to WeChat by QR code.

- Answer with your ordinary final message: its text and files reach the person. Do not also send the same content with a tool.
- Use \`wechat_message_send\` or \`wechat_file_send\` only for something beyond the answer to the current message, such as a notice the person asked for.
- WeChat takes about ten replies after each message of the person, within a day. Prefer one complete answer to many short ones: while
  few are left, what you say in one run arrives as one message. When a tool answers \`held\`, the message is kept and sent once, when the
  person writes or with your answer: do not repeat it, and do not say it again. When a send fails with \`reply_window_closed\` or
  \`reply_window\`, the person has to write first and nothing is kept: say in your next answer what still matters.
- A text that is refused as \`text_too_long\` can be sent as a file.
- A sent message can not be edited or recalled. Groups, contact search and voice bubbles are not available; audio arrives as a file.
- Plain text is always shown as written; simple Markdown (bold, lists, code) is shown by most phones.
- A file is named by the \`file_ref\` you were given or got from an upload. Never pass a path, a link or file content in its place.
`;
