import { IM_V1, type ImProfile } from '../protocol/index.js';

/** The end of a skill's header and the title below it. */
const TITLE = /^---\n[^]*?\n---\n\n# .*\n/;

/**
 * The skill that a connector serves. What a target says is for IM Profile v2, where a final message is delivered by itself; under
 * IM Profile v1 nothing but the tool reaches the person (sections 4 and 5), and the skill has to say so first.
 * @param messageTool the tool that an agent answers with
 */
export function skillFor(skill: string, profile: ImProfile, messageTool: string): string {
  if (profile !== IM_V1) return skill;
  return skill.replace(TITLE, (title) => `${title}\n${answerByTool(messageTool)}`);
}

function answerByTool(messageTool: string): string {
  return `**Answer with \`${messageTool}\`.** This connector speaks \`${IM_V1}\`: a final message is not delivered by itself, and unfinished ones
are not shown. Each message that arrives is answered by one call of that tool. Wherever this page says that an answer is
delivered by itself and needs no tool, this paragraph holds instead.
`;
}
