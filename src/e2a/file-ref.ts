import Type, { type Static } from 'typebox';
import { JsonObjectSchema, NullableText } from './schema-parts.js';

/** A file beside a message (section 5), an element of `params.files` or `params.attachments`. */
export const E2AFileRefSchema = Type.Object({
  uri: Type.String({ minLength: 1 }),
  name: Type.Optional(NullableText),
  mime_type: Type.Optional(NullableText),
  size: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
  _meta: Type.Optional(JsonObjectSchema),
});
export type E2AFileRef = Static<typeof E2AFileRefSchema>;
