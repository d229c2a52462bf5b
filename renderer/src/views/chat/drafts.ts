/** What was written and not sent, per account, while the window lives: looking at another view must not cost it. */
const drafts = new Map<string, string>();

export function readDraft(accountId: string): string {
  return drafts.get(accountId) ?? '';
}

export function keepDraft(accountId: string, text: string): void {
  if (text === '') drafts.delete(accountId);
  else drafts.set(accountId, text);
}
