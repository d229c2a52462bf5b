import Type, { type TSchema } from 'typebox';

/** A field that may be missing; `null` means the same, as some clients write every field they know. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}
