import Type, { type Static } from 'typebox';
import { E2A_SOURCE_PROTOCOLS } from './constants.js';
import { given, isJsonObject, type JsonObject, objectOrEmpty, plainText } from './coerce.js';
import { JsonObjectSchema, Nullable, TimestampSchema } from './schema-parts.js';

/** Where an envelope came from, and who made it E2A when (section 4.2). */
export const E2AProvenanceSchema = Type.Object({
  source_protocol: Type.Enum(E2A_SOURCE_PROTOCOLS),
  converter: Nullable(Type.String()),
  converted_at: Nullable(TimestampSchema),
  details: JsonObjectSchema,
});
export type E2AProvenance = Static<typeof E2AProvenanceSchema>;

/** A provenance as reading leaves it: the source is text, but perhaps none this version knows. */
export type ProvenanceReading = {
  source_protocol: string;
  converter: unknown;
  converted_at: unknown;
  details: JsonObject;
};

/**
 * Reads `provenance`; anything but an object gives the defaults, and so does a null `source_protocol`.
 * @throws {E2AError} `invalid_value` when `details` is neither an object nor empty.
 */
export function provenanceFromDict(raw: unknown): ProvenanceReading {
  if (!isJsonObject(raw)) return { source_protocol: 'e2a', converter: null, converted_at: null, details: {} };
  // The implementation writes the word "None" for null here, a protocol nobody has.
  return {
    source_protocol: plainText(given(raw, 'source_protocol') ?? 'e2a'),
    converter: given(raw, 'converter'),
    converted_at: given(raw, 'converted_at'),
    details: objectOrEmpty(given(raw, 'details'), 'provenance.details'),
  };
}

/** Moves the legacy `binding` into the details, and lets it name the source where none but the default is named (section 4.2). */
export function migrateLegacyBinding(data: JsonObject, provenance: ProvenanceReading): ProvenanceReading {
  const binding = given(data, 'binding');
  if (binding === null || given(provenance.details, 'migrated_from_binding') !== null) return provenance;
  const value = isJsonObject(binding) && Object.hasOwn(binding, 'value') ? binding['value'] : binding;
  const name = value === null ? '' : plainText(value);
  const namesSource = provenance.source_protocol === 'e2a' && (name === 'acp' || name === 'a2a');
  return {
    ...provenance,
    source_protocol: namesSource ? name : provenance.source_protocol,
    details: { ...provenance.details, migrated_from_binding: name },
  };
}

/** The provenance of something this product made itself. */
export function ownProvenance(
  source: E2AProvenance['source_protocol'],
  converter: string,
  convertedAt: string,
  details: JsonObject,
): E2AProvenance {
  return { source_protocol: source, converter, converted_at: convertedAt, details };
}
