/**
 * Fields of a result that are made when they are first read.
 */

/** Adds fields that are made once, when they are first read; they are fields like all others. */
export const lazily = <Known extends object, Fields extends object>(
  known: Known,
  makers: { readonly [Name in keyof Fields]: () => Fields[Name] }
): Known & Fields => {
  for (const name of Object.keys(makers) as Array<keyof Fields & string>) {
    const get = (): unknown => {
      const value = makers[name]()
      Object.defineProperty(known, name, { value, enumerable: true, writable: true })
      return value
    }
    Object.defineProperty(known, name, { get, enumerable: true, configurable: true })
  }
  // Each of the fields has just been defined.
  return known as Known & Fields
}
