import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { ErrorCode, type ObjectSchema, type ToolDeclaration } from '../protocol/index.js';
import { AckError } from './connector.js';

/** Arguments that passed the tool's own schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * Checks tool arguments against the very schemas the card publishes. The one difference: `connector_channel_id` may be
 * missing, because only the envelope routes (section 8.18; R22).
 */
export class ToolArgumentChecker {
  readonly #tools: ReadonlyMap<string, ToolDeclaration>;
  readonly #validators = new Map<string, ValidateFunction>();
  #ajv: Ajv | undefined;

  constructor(tools: readonly ToolDeclaration[]) {
    this.#tools = new Map(tools.map((tool) => [tool.tool_id, tool]));
  }

  /**
   * @throws AckError `tool_invoke_failed` for a tool that is not in the card or arguments its schema refuses; the message
   *   names the argument and the rule, never a value
   */
  check(toolId: string, args: Record<string, unknown>): ToolArguments {
    const tool = this.#tools.get(toolId);
    if (!tool) throw new AckError(ErrorCode.toolInvokeFailed, 'this connector has no such tool');
    const validate = this.#validator(tool);
    if (!validate(args)) {
      throw new AckError(ErrorCode.toolInvokeFailed, explain(validate.errors?.[0], tool.input_schema));
    }
    return args;
  }

  #validator(tool: ToolDeclaration): ValidateFunction {
    let validate = this.#validators.get(tool.tool_id);
    if (!validate) {
      // Built with the first call: a connector whose tools nobody uses pays nothing for them.
      this.#ajv ??= new Ajv({ allErrors: false });
      const { input_schema: schema } = tool;
      validate = this.#ajv.compile({
        ...schema,
        required: schema.required.filter((name) => name !== 'connector_channel_id'),
      });
      this.#validators.set(tool.tool_id, validate);
    }
    return validate;
  }
}

function explain(error: ErrorObject | undefined, schema: ObjectSchema): string {
  if (!error) return 'the arguments are not valid';
  const name = error.instancePath.slice(1);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return `argument ${String(params['missingProperty'])} is required`;
    case 'additionalProperties':
      return `unknown argument; this tool takes ${Object.keys(schema.properties).join(', ')}`;
    case 'type':
      return `argument ${name} must be a ${String(params['type'])}`;
    case 'minLength':
      return `argument ${name} must not be empty`;
    default:
      return `argument ${name} is not valid`;
  }
}
