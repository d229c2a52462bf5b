import Type, { type TSchema } from 'typebox';
import { UTC_TIMESTAMP_PATTERN } from './timestamp.js';

/** The few shapes both models are made of. */

export const JsonObjectSchema = Type.Record(Type.String(), Type.Unknown());

/** RFC 3339 in UTC (section 4.3). */
export const TimestampSchema = Type.String({ pattern: UTC_TIMESTAMP_PATTERN });

/** A field that is always there and may be null. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export const NullableText = Nullable(Type.String());

/** A JSON-RPC id as ACP gives it (section 4.1). */
export const JsonRpcIdSchema = Type.Union([Type.String(), Type.Number(), Type.Null()]);
