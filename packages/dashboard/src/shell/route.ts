/**
 * Where the reader is: the part of the address behind `#`, so that any server and any prefix will do.
 */
import { signal } from "@preact/signals"

/** A place: its path's segments and its query. */
export interface Route {
  readonly segments: ReadonlyArray<string>
  readonly query: URLSearchParams
}

/** Reads a place from the part of an address behind `#`. */
export const readRoute = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?")
  const segments = path.split("/").filter((part) => part !== "")
  return { segments: segments.map(decodeURIComponent), query: new URLSearchParams(query) }
}

/** The current place. */
export const route = signal<Route>(readRoute(location.hash))

addEventListener("hashchange", () => {
  route.value = readRoute(location.hash)
})

/** The address of a place. */
export const linkTo = (
  segments: ReadonlyArray<string>,
  query: Readonly<Record<string, string | undefined>> = {}
): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]]
  )
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`
  return `#/${segments.map(encodeURIComponent).join("/")}${search}`
}

/** Goes to a place. */
export const go = (
  segments: ReadonlyArray<string>,
  query: Readonly<Record<string, string | undefined>> = {}
): void => {
  location.hash = linkTo(segments, query)
}

/** Changes the query of the current place without a step in the history. */
export const setQuery = (query: Readonly<Record<string, string | undefined>>): void => {
  history.replaceState(null, "", linkTo(route.peek().segments, query))
  route.value = readRoute(location.hash)
}
