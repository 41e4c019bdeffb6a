/**
 * From a name to its addresses, without the threads that everything else shares.
 *
 * The system's resolver holds one of four threads until its name server answers, even when no
 * caller waits. Four endpoints with a silent name server would stop every look-up, every file and
 * every encryption of the process. So public names are asked over sockets of their own, which are
 * closed when no caller waits. Private names, which only an operator's exception allows, need the
 * system's search lists and its other sources. Few of those are asked at once.
 *
 * @since 0.1.0
 */
import { lookup as lookupBySystem, Resolver } from "node:dns/promises"
import { readFileSync, statSync } from "node:fs"
import { isIP } from "node:net"
import { classifyHostName } from "./classifyHostName.ts"

/** One answer to the question which address a name has. @category models @since 0.1.0 */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

type Addresses = ReadonlyArray<ResolvedAddress>

/** Finds all addresses of a name, until the signal ends the look-up. @category models */
export type NameLookup = (hostname: string, signal?: AbortSignal) => Promise<Addresses>

/** The server that a look-up asks. @category options @since 0.1.0 */
export interface NameLookupOptions {
  /** Name servers such as `10.0.0.53` or `127.0.0.1:5353`; the host's unless given. */
  readonly nameServers?: ReadonlyArray<string> | undefined
  /** Where names are listed that no server is asked about; the host's file unless given. */
  readonly hostsFile?: string | undefined
  /** Asks the system about a private name. */
  readonly askSystem?: ((hostname: string) => Promise<Addresses>) | undefined
}

const hostsFileDefault =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts"
const triesMax = 2
const tryMs = 1_500
/** Half of the threads, so that as many are left for everything else. */
const systemLookupsMax = 2

const withFamily = (addresses: ReadonlyArray<string>): Addresses =>
  addresses.map((address) => ({ address, family: isIP(address) }))

const parseHosts = (text: string): ReadonlyMap<string, Addresses> => {
  const found = new Map<string, Addresses>()
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map((one) => one.toLowerCase())) {
      found.set(name, [...(found.get(name) ?? []), ...withFamily([address])])
    }
  }
  return found
}

/** The names of a file, which is read again when it has changed. */
const listedIn = (file: string): ((hostname: string) => Addresses) => {
  let readAt: number | null = null
  let hosts: ReadonlyMap<string, Addresses> = new Map()
  return (hostname) => {
    // Not by promises: those would wait for a thread.
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null
    if (changedAt !== readAt) {
      hosts = changedAt === null ? new Map() : parseHosts(readFileSync(file, "utf8"))
      readAt = changedAt
    }
    return hosts.get(hostname) ?? []
  }
}

const askServers = async (
  hostname: string,
  nameServers: ReadonlyArray<string> | undefined,
  signal: AbortSignal
): Promise<Addresses> => {
  // One resolver for each look-up, because a cancel ends all questions of a resolver.
  const resolver = new Resolver({ timeout: tryMs, tries: triesMax })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const cancel = () => resolver.cancel()
  signal.addEventListener("abort", cancel, { once: true })
  try {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname)
    ])
    const answers = [four, six].flatMap((one) => (one.status === "fulfilled" ? one.value : []))
    if (answers.length === 0 && four.status === "rejected") throw four.reason
    return withFamily(answers)
  } finally {
    signal.removeEventListener("abort", cancel)
  }
}

let systemLookupsFree = systemLookupsMax
const waiting: Array<() => void> = []

/** Runs a question to the system when one of the few places is free, if anybody still waits. */
const inTurn = async (ask: () => Promise<Addresses>, signal: AbortSignal): Promise<Addresses> => {
  if (systemLookupsFree > 0) systemLookupsFree--
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    signal.throwIfAborted()
    return await ask()
  } finally {
    const next = waiting.shift()
    if (next === undefined) systemLookupsFree++
    else next()
  }
}

interface Question {
  readonly answer: Promise<Addresses>
  readonly stop: AbortController
  waitingCount: number
}

/** Asks about each name once at a time, however many want to know, and for as long as one does. */
const askOnce = (ask: (hostname: string, signal: AbortSignal) => Promise<Addresses>) => {
  const asked = new Map<string, Question>()
  const forget = (hostname: string, question: Question) => {
    if (asked.get(hostname) === question) asked.delete(hostname)
  }
  const begin = (hostname: string): Question => {
    const stop = new AbortController()
    const question = { answer: ask(hostname, stop.signal), stop, waitingCount: 0 }
    asked.set(hostname, question)
    return question
  }
  return (hostname: string, signal: AbortSignal | undefined): Promise<Addresses> => {
    signal?.throwIfAborted()
    const question = asked.get(hostname) ?? begin(hostname)
    question.waitingCount++
    const leave = () => {
      if (--question.waitingCount > 0) return
      forget(hostname, question)
      question.stop.abort()
    }
    const end = () => {
      forget(hostname, question)
      signal?.removeEventListener("abort", leave)
    }
    signal?.addEventListener("abort", leave, { once: true })
    question.answer.then(end, end)
    return question.answer
  }
}

/**
 * Makes a look-up that no silent name server can hold up for others.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeNameLookup = (options: NameLookupOptions = {}): NameLookup => {
  const listed = listedIn(options.hostsFile ?? hostsFileDefault)
  const { nameServers, askSystem = (name) => lookupBySystem(name, { all: true }) } = options
  const askPublic = askOnce((hostname, signal) => askServers(hostname, nameServers, signal))
  const askPrivate = askOnce((hostname, signal) => inTurn(() => askSystem(hostname), signal))
  return async (hostname, signal) => {
    const known = listed(hostname)
    if (known.length > 0) return known
    const ask = classifyHostName(hostname) === "public" ? askPublic : askPrivate
    return ask(hostname, signal)
  }
}
