/**
 * Numbered, forward-only migrations. Entry n (from 1) takes a database of `user_version` n-1 to n.
 * A released entry is never edited; a change of shape is a new entry.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- One row per card: the stable runtime identity of section 8.1 and the lease of section 8.2.
  CREATE TABLE connector (
    card_id       TEXT PRIMARY KEY,
    connector_id  TEXT NOT NULL,
    offline_ms    INTEGER NOT NULL DEFAULT 0, -- lease time used up: host awake, no data plane
    created_at    INTEGER NOT NULL
  ) STRICT;

  -- A sign-in to a network. Its credentials live in the secret store under account/<account_id>.
  CREATE TABLE account (
    account_id    TEXT PRIMARY KEY,
    card_id       TEXT NOT NULL,
    identity      TEXT NOT NULL,   -- who signed in and for which conversation; equal identity = same account, renewed in place
    display_name  TEXT NOT NULL,
    account_hint  TEXT NOT NULL,   -- redacted
    binding       TEXT NOT NULL,   -- JSON owned by the target; never a secret
    last_state    TEXT NOT NULL,   -- JSON of the last BindingState, so that expired or revoked survive a restart
    claimed       INTEGER NOT NULL,-- 1 once a channel has held it: only then it is under the lease
    deliver_to    TEXT,            -- per-account override: 'xagent' | 'agentServer'
    created_at    INTEGER NOT NULL,
    UNIQUE (card_id, identity)
  ) STRICT;

  -- Entries of the secret store that nothing refers to (any more): deleted there, then here, as soon as that store answers.
  CREATE TABLE unwanted_secret (
    name          TEXT PRIMARY KEY,
    card_id       TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- An agent's route to at most one account; an account has at most one channel.
  CREATE TABLE channel (
    channel_id    TEXT PRIMARY KEY,
    card_id       TEXT NOT NULL,
    account_id    TEXT UNIQUE REFERENCES account (account_id) ON DELETE SET NULL,
    created_at    INTEGER NOT NULL
  ) STRICT;

  -- What a network consumer must not forget between two polls (cursor, tokens of a conversation), written with the messages.
  CREATE TABLE consumer_state (
    consumer      TEXT NOT NULL,
    key           TEXT NOT NULL,
    value         TEXT NOT NULL,
    PRIMARY KEY (consumer, key)
  ) STRICT, WITHOUT ROWID;

  -- Inbound ids already taken over, kept past the longest redelivery any network is known for.
  CREATE TABLE seen (
    account_id    TEXT NOT NULL,
    dedup_key     TEXT NOT NULL,
    seen_at       INTEGER NOT NULL,
    PRIMARY KEY (account_id, dedup_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX seen_by_age ON seen (seen_at);

  -- Inbound messages not yet acknowledged by the upstream, oldest first by seq.
  CREATE TABLE pending (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id    TEXT NOT NULL,
    message_id    TEXT NOT NULL,
    merge_key     TEXT,             -- parts of one album share it
    body          TEXT NOT NULL,    -- JSON of the message and what became of its attachments
    hold_until    INTEGER NOT NULL, -- not offered before (album debounce)
    received_at   INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL, -- set once, never extended
    attempts      INTEGER NOT NULL DEFAULT 0,
    last_error    TEXT,
    UNIQUE (account_id, message_id)
  ) STRICT;
  CREATE INDEX pending_by_account ON pending (account_id, seq);
  CREATE INDEX pending_by_expiry ON pending (expires_at);

  -- How inbound messages ended other than by delivery; bounded, for the window and for reasons.
  CREATE TABLE ended (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id    TEXT NOT NULL,
    message_id    TEXT NOT NULL,
    outcome       TEXT NOT NULL,    -- rejected | expired | evicted | discarded
    reason        TEXT NOT NULL,    -- stable code
    body          TEXT NOT NULL,
    received_at   INTEGER NOT NULL,
    attempts      INTEGER NOT NULL,
    ended_at      INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ended_by_account ON ended (account_id, seq);

  -- Counters per account: delivered, duplicate, rejected, expired, evicted, and what the outbound side counts.
  CREATE TABLE counter (
    account_id    TEXT NOT NULL,
    name          TEXT NOT NULL,
    value         INTEGER NOT NULL,
    PRIMARY KEY (account_id, name)
  ) STRICT, WITHOUT ROWID;

  -- Outbound messages and side-effecting tool calls: done, running, in doubt, or refused.
  CREATE TABLE ledger (
    channel_id    TEXT NOT NULL,
    entry_id      TEXT NOT NULL,    -- 'm:' + message_id, or 't:' + repeated-call key
    content_hash  TEXT NOT NULL,
    state         TEXT NOT NULL,    -- streaming | sending | completed | rejected | unknown
    parts_sent    INTEGER NOT NULL DEFAULT 0,
    in_doubt      INTEGER NOT NULL DEFAULT 0, -- 1 while a part is at the network and its outcome is not recorded
    detail        TEXT NOT NULL DEFAULT '{}', -- JSON: stream handle, receipts, refusal code
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    PRIMARY KEY (channel_id, entry_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ledger_by_age ON ledger (channel_id, updated_at);

  CREATE TABLE file (
    file_ref      TEXT PRIMARY KEY,
    card_id       TEXT NOT NULL,
    channel_id    TEXT,             -- the channel an upload is bound to
    account_id    TEXT,             -- the account an inbound file came through
    file_type     TEXT NOT NULL,
    filename      TEXT NOT NULL,
    mime_type     TEXT NOT NULL,
    byte_size     INTEGER NOT NULL,
    sha256        TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX file_by_expiry ON file (expires_at);
  CREATE INDEX file_by_channel ON file (channel_id);
  CREATE INDEX file_by_account ON file (account_id);
  `,
  `
  -- One AgentServer session per account and conversation, and the question its agent waits for an answer to.
  CREATE TABLE agent_session (
    account_id      TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    session_id      TEXT NOT NULL UNIQUE,
    question        TEXT,             -- JSON; null while none is open
    PRIMARY KEY (account_id, conversation_id)
  ) STRICT, WITHOUT ROWID;

  -- Requests that an AgentServer has begun: never sent again. One without an end when the host starts was broken off.
  CREATE TABLE agent_run (
    request_id      TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL,
    answer_id       TEXT NOT NULL,    -- the answer that was growing, so that its preview becomes the failed answer
    language        TEXT NOT NULL,    -- the person's, for words of our own
    begun_at        INTEGER NOT NULL,
    ended_at        INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX agent_run_by_end ON agent_run (ended_at);

  -- Answers of an AgentServer on their way to the network, oldest first by seq.
  CREATE TABLE agent_answer (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id      TEXT NOT NULL,
    answer_id       TEXT NOT NULL,
    body            TEXT NOT NULL,    -- JSON: text and file refs
    expires_at      INTEGER NOT NULL,
    UNIQUE (account_id, answer_id)
  ) STRICT;
  `,
  `
  -- Accounts that were deleted, until what is left of them is removed: their counters, and the state of a reader of their own.
  CREATE TABLE gone_account (
    account_id      TEXT PRIMARY KEY,
    consumer        TEXT,             -- null while another account needs it
    gone_at         INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX ended_by_age ON ended (ended_at);
  `,
  `
  -- Messages of agents that wait until their network takes replies again, oldest first by seq. Each has its entry in the ledger,
  -- and goes with its end there.
  CREATE TABLE held (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_id      TEXT NOT NULL,
    entry_id        TEXT NOT NULL,
    account_id      TEXT NOT NULL,
    body            TEXT NOT NULL,    -- JSON: text, file refs, content hash
    reason          TEXT NOT NULL,    -- stable code of what it waits for
    held_at         INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL, -- set once, never extended
    UNIQUE (channel_id, entry_id)
  ) STRICT;

  -- Which way a message that ended was going: inbound | outbound.
  ALTER TABLE ended ADD COLUMN direction TEXT NOT NULL DEFAULT 'inbound';
  `,
  `
  -- How much went in and out, one row per half hour, for a day: for people to look at.
  CREATE TABLE traffic (
    at              INTEGER PRIMARY KEY, -- beginning of the half hour
    inbound         INTEGER NOT NULL,
    outbound        INTEGER NOT NULL,
    waiting         INTEGER NOT NULL     -- the most that waited at any time of it
  ) STRICT;

  -- When the API key was made that the secret store holds, told apart by its digest.
  CREATE TABLE api_key (
    digest          TEXT PRIMARY KEY,
    created_at      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The times of this database, beside those of the machine: what the next start goes on from. One row.
  CREATE TABLE time_anchor (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    steady          INTEGER NOT NULL,
    wall            INTEGER NOT NULL,
    up              INTEGER NOT NULL,  -- how long the machine had been up, milliseconds
    boot            TEXT               -- which time it was up, where the system has a name for that
  ) STRICT;
  `,
  `
  -- What is written for every message stands where its neighbours in time stand, so that a transaction writes few pages.
  -- The ledger in order of arrival:
  CREATE TABLE ledger_in_order (
    seq           INTEGER PRIMARY KEY,
    channel_id    TEXT NOT NULL,
    entry_id      TEXT NOT NULL,    -- 'm:' + message_id, or 't:' + repeated-call key
    content_hash  TEXT NOT NULL,
    state         TEXT NOT NULL,    -- streaming | sending | completed | rejected | unknown
    parts_sent    INTEGER NOT NULL DEFAULT 0,
    in_doubt      INTEGER NOT NULL DEFAULT 0, -- 1 while a part is at the network and its outcome is not recorded
    detail        TEXT NOT NULL DEFAULT '{}', -- JSON: stream handle, receipts, refusal code
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    UNIQUE (channel_id, entry_id)
  ) STRICT;
  INSERT INTO ledger_in_order
      (channel_id, entry_id, content_hash, state, parts_sent, in_doubt, detail, created_at, updated_at)
    SELECT channel_id, entry_id, content_hash, state, parts_sent, in_doubt, detail, created_at, updated_at
    FROM ledger ORDER BY created_at;
  DROP TABLE ledger;
  ALTER TABLE ledger_in_order RENAME TO ledger;

  -- And a queue as it is read: by its account, oldest first. The host gives each row its seq, never one twice in a run.
  CREATE TABLE pending_in_order (
    account_id    TEXT NOT NULL,
    seq           INTEGER NOT NULL,
    message_id    TEXT NOT NULL,
    merge_key     TEXT,             -- parts of one album share it
    body          TEXT NOT NULL,    -- JSON of the message and what became of its attachments
    hold_until    INTEGER NOT NULL, -- not offered before (album debounce)
    received_at   INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL, -- set once, never extended
    attempts      INTEGER NOT NULL DEFAULT 0,
    last_error    TEXT,
    PRIMARY KEY (account_id, seq),
    UNIQUE (account_id, message_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO pending_in_order
      (account_id, seq, message_id, merge_key, body, hold_until, received_at, expires_at, attempts, last_error)
    SELECT account_id, seq, message_id, merge_key, body, hold_until, received_at, expires_at, attempts, last_error
    FROM pending;
  DROP TABLE pending;
  ALTER TABLE pending_in_order RENAME TO pending;
  `,
];
