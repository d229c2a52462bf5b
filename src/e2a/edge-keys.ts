import { isJsonObject, type JsonObject } from './coerce.js';

/**
 * E2A writes every key in snake_case, real ACP and A2A peers write theirs in camelCase. Only keys the other protocol
 * defines are renamed: a tool's input, `_meta` and `metadata` are somebody's own words and pass as they stand.
 */
export class KeyTable {
  readonly #toCamel: ReadonlyMap<string, string>;
  readonly #toSnake: ReadonlyMap<string, string>;
  readonly #opaque: ReadonlySet<string>;

  /** `camelKeys` are what the peer defines; what stands under an `opaque` key, in its camelCase name, is left alone. */
  constructor(camelKeys: readonly string[], opaque: readonly string[]) {
    const pairs = camelKeys.map((camel) => [camel, snakeOf(camel)] as const);
    this.#toSnake = new Map(pairs);
    this.#toCamel = new Map(pairs.map(([camel, snake]) => [snake, camel]));
    this.#opaque = new Set(opaque);
  }

  /** The value with the peer's keys in camelCase. Where both spellings stand, the peer's own wins. */
  toCamel(value: unknown): unknown {
    return this.#rename(value, this.#toCamel);
  }

  /** The value with the peer's keys in snake_case. Where both spellings stand, E2A's own wins. */
  toSnake(value: unknown): unknown {
    return this.#rename(value, this.#toSnake);
  }

  #rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rename(item, names));
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value)
      .filter(([key]) => !(names.has(key) && Object.hasOwn(value, names.get(key) ?? key)))
      .map(([key, item]) => [names.get(key) ?? key, this.#isOpaque(key) ? item : this.#rename(item, names)] as const);
    return Object.fromEntries(entries);
  }

  #isOpaque(key: string): boolean {
    return this.#opaque.has(this.#toCamel.get(key) ?? key);
  }
}

function snakeOf(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An object through a key table; a table keeps objects objects. */
export function renamedObject(renamed: unknown): JsonObject {
  return isJsonObject(renamed) ? renamed : {};
}

/** Keys of ACP v1. */
export const ACP_V1_KEYS = new KeyTable(
  [
    ...[
      'additionalDirectories',
      'agentCapabilities',
      'agentInfo',
      'authMethods',
      'availableCommands',
      'availableModes',
    ],
    ...[
      'clientCapabilities',
      'clientInfo',
      'configId',
      'configOptions',
      'currentModeId',
      'currentValue',
      'elicitationId',
    ],
    ...['embeddedContext', 'exitCode', 'exitStatus', 'lastModified', 'loadSession', 'mcpCapabilities', 'mcpServers'],
    ...[
      'messageId',
      'methodId',
      'mimeType',
      'modeId',
      'newText',
      'nextCursor',
      'oldText',
      'optionId',
      'outputByteLimit',
    ],
    ...[
      'promptCapabilities',
      'protocolVersion',
      'rawInput',
      'rawOutput',
      'readTextFile',
      'requestId',
      'requestedSchema',
    ],
    ...['sessionCapabilities', 'sessionId', 'sessionUpdate', 'stopReason', 'terminalId', 'toolCall', 'toolCallId'],
    ...['updatedAt', 'userMessageId', 'writeTextFile'],
  ],
  ['_meta', 'rawInput', 'rawOutput', 'requestedSchema', 'env', 'headers'],
);

/** Keys of A2A 1.0. */
export const A2A_V1_KEYS = new KeyTable(
  [
    ...['messageId', 'contextId', 'taskId', 'referenceTaskIds', 'artifactId', 'lastChunk', 'statusUpdate'],
    ...['artifactUpdate', 'acceptedOutputModes', 'historyLength', 'returnImmediately', 'mediaType'],
    ...['taskPushNotificationConfig', 'pushNotificationConfig'],
  ],
  ['metadata', 'data', 'taskPushNotificationConfig', 'pushNotificationConfig'],
);
