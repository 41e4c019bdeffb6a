/**
 * Words that callers choose from, each with the other spellings that are understood.
 *
 * A vocabulary decodes an alias to its canonical word. Everything behind the edge knows only the
 * canonical word, and answers echo it.
 *
 * @since 0.1.0
 */
import { Exit, Schema, SchemaGetter, SchemaIssue } from "effect"

/**
 * Makes a schema that accepts a canonical word or one of its aliases and yields the canonical word.
 *
 * @category schemas
 * @since 0.1.0
 */
export const vocabulary = <const Words extends ReadonlyArray<string>>(
  words: Words,
  aliases: Readonly<Record<string, Words[number]>>
) => {
  const message = `Expected one of ${words
    .map((word) => {
      const others = Object.keys(aliases).filter((alias) => aliases[alias] === word)
      return others.length === 0 ? word : `${word} (also ${others.join(", ")})`
    })
    .join("; ")}`
  // Decoding refuses other words, in a sentence that says which aliases belong to which.
  const isKnown = Schema.makeFilter<string>(() => true, {
    toJsonSchema: () => ({ enum: [...words, ...Object.keys(aliases)] })
  })
  return Schema.String.annotate({ examples: [...words] }).pipe(
    Schema.check(isKnown),
    Schema.decodeTo(Schema.Literals(words), {
      decode: SchemaGetter.transformEffect((text: string) => {
        const canonical = words.includes(text)
          ? (text as Words[number])
          : Object.hasOwn(aliases, text)
            ? aliases[text]
            : undefined
        return canonical === undefined
          ? Exit.fail(new SchemaIssue.InvalidValue({ message }))
          : Exit.succeed(canonical)
      }),
      encode: SchemaGetter.transform((word: Words[number]): string => word)
    })
  )
}
