import Type from 'typebox';
import { conforms } from '../base/conforms.js';
import { newId } from '../base/ids.js';
import { parseJson } from '../base/parse-json.js';
import { prepared } from '../store/statements.js';
import type { Sql } from '../store/index.js';
import { restoreQuestion, type Question } from './question.js';
import { say, type Language } from './words.js';

/** One row of `agent_session`. */
export interface SessionRow {
  readonly accountId: string;
  readonly conversationId: string;
  readonly sessionId: string;
  readonly question: Question | undefined;
  /** A question was open and can't be read any more. */
  readonly lostQuestion: boolean;
}

/** One row of `agent_run`. */
export interface RunRow {
  readonly requestId: string;
  readonly accountId: string;
  readonly answerId: string;
  readonly language: Language;
}

/** One row of `agent_answer`. `fileRefs` lead into the file store. */
export interface AnswerRow {
  readonly accountId: string;
  readonly answerId: string;
  readonly text: string;
  readonly fileRefs: readonly string[];
  readonly expiresAt: number;
  /** In which its person is told when a file of it is refused; absent where it has none. */
  readonly language?: Language;
}

interface SessionColumns {
  account_id: string;
  conversation_id: string;
  session_id: string;
  question: string | null;
}

export function findSession(sql: Sql, accountId: string, conversationId: string): SessionRow | undefined {
  const text = 'SELECT * FROM agent_session WHERE account_id = ? AND conversation_id = ?';
  return sessionOf(prepared<SessionColumns>(sql, text).get(accountId, conversationId));
}

export function findSessionById(sql: Sql, sessionId: string): SessionRow | undefined {
  return sessionOf(prepared<SessionColumns>(sql, 'SELECT * FROM agent_session WHERE session_id = ?').get(sessionId));
}

/** Inside a transaction: the session of a conversation, made when there is none. */
export function ensureSession(sql: Sql, accountId: string, conversationId: string): SessionRow {
  const known = findSession(sql, accountId, conversationId);
  if (known) return known;
  const sessionId = newId('sess');
  prepared(sql, 'INSERT INTO agent_session (account_id, conversation_id, session_id) VALUES (?, ?, ?)').run(
    accountId,
    conversationId,
    sessionId,
  );
  return { accountId, conversationId, sessionId, question: undefined, lostQuestion: false };
}

export function putQuestion(sql: Sql, sessionId: string, question: Question | undefined): void {
  prepared(sql, 'UPDATE agent_session SET question = ? WHERE session_id = ?').run(
    question === undefined ? null : JSON.stringify(question),
    sessionId,
  );
}

/** Closes the question that this request asked; one that can't be read is left to whoever reads it. */
export function dropQuestionOf(sql: Sql, { accountId, requestId }: Pick<RunRow, 'accountId' | 'requestId'>): void {
  prepared(
    sql,
    `UPDATE agent_session SET question = NULL WHERE account_id = ?
     AND CASE WHEN json_valid(question) THEN json_extract(question, '$.askedBy') = ? ELSE 0 END`,
  ).run(accountId, requestId);
}

/** Whether a request was begun, in this run of the program or an earlier one. */
export function hasBegun(sql: Sql, requestId: string): boolean {
  return prepared(sql, 'SELECT 1 FROM agent_run WHERE request_id = ?').get(requestId) !== undefined;
}

export function putRun(sql: Sql, row: RunRow, begunAt: number): void {
  prepared(
    sql,
    `INSERT INTO agent_run (request_id, account_id, answer_id, language, begun_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (request_id) DO NOTHING`,
  ).run(row.requestId, row.accountId, row.answerId, row.language, begunAt);
}

/** Where the answer of a run goes now: what came before is an answer of its own. */
export function putRunAnswer(sql: Sql, requestId: string, answerId: string): void {
  prepared(sql, 'UPDATE agent_run SET answer_id = ? WHERE request_id = ?').run(answerId, requestId);
}

/** Inside a transaction: the run is over; those that ended before `keptSince` are forgotten. */
export function endRun(sql: Sql, requestId: string, now: number, keptSince: number): void {
  prepared(sql, 'UPDATE agent_run SET ended_at = ? WHERE request_id = ? AND ended_at IS NULL').run(now, requestId);
  prepared(sql, 'DELETE FROM agent_run WHERE ended_at < ?').run(keptSince);
}

/** Runs that an end of the program broke off. */
export function brokenRuns(sql: Sql): RunRow[] {
  return prepared<{ request_id: string; account_id: string; answer_id: string; language: string }>(
    sql,
    'SELECT request_id, account_id, answer_id, language FROM agent_run WHERE ended_at IS NULL ORDER BY begun_at',
  )
    .all()
    .map((row) => ({
      requestId: row.request_id,
      accountId: row.account_id,
      answerId: row.answer_id,
      language: row.language === 'zh' ? 'zh' : 'en',
    }));
}

/** What stands in `agent_answer.body`. */
const Body = Type.Object({
  text: Type.String(),
  fileRefs: Type.Array(Type.String()),
  language: Type.Optional(Type.Enum(['en', 'zh'])),
});

export function putAnswer(sql: Sql, answer: AnswerRow): void {
  prepared(
    sql,
    `INSERT INTO agent_answer (account_id, answer_id, body, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, answer_id) DO NOTHING`,
  ).run(
    answer.accountId,
    answer.answerId,
    JSON.stringify({ text: answer.text, fileRefs: answer.fileRefs, language: answer.language }),
    answer.expiresAt,
  );
}

export function deleteAnswer(sql: Sql, accountId: string, answerId: string): void {
  prepared(sql, 'DELETE FROM agent_answer WHERE account_id = ? AND answer_id = ?').run(accountId, answerId);
}

/**
 * Answers on their way, oldest first. Of one that can't be read any more the person is told, in both languages: which they write
 * in stood in what is lost.
 */
export function allAnswers(sql: Sql): (AnswerRow & { readonly isDamaged: boolean })[] {
  return prepared<{ account_id: string; answer_id: string; body: string; expires_at: number }>(
    sql,
    'SELECT * FROM agent_answer ORDER BY seq',
  )
    .all()
    .map((row) => {
      const body = parseJson(row.body);
      const read = conforms(Body, body) ? body : undefined;
      return {
        accountId: row.account_id,
        answerId: row.answer_id,
        ...(read ?? { text: `${say('unreadable', 'en')}\n${say('unreadable', 'zh')}`, fileRefs: [] }),
        expiresAt: row.expires_at,
        isDamaged: read === undefined,
      };
    });
}

export function forgetAccount(sql: Sql, accountId: string): void {
  prepared(sql, 'DELETE FROM agent_session WHERE account_id = ?').run(accountId);
  prepared(sql, 'DELETE FROM agent_run WHERE account_id = ?').run(accountId);
  prepared(sql, 'DELETE FROM agent_answer WHERE account_id = ?').run(accountId);
}

function sessionOf(row: SessionColumns | undefined): SessionRow | undefined {
  if (row === undefined) return undefined;
  const question = row.question === null ? undefined : restoreQuestion(row.question);
  return {
    accountId: row.account_id,
    conversationId: row.conversation_id,
    sessionId: row.session_id,
    question,
    lostQuestion: row.question !== null && question === undefined,
  };
}
