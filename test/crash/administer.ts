/**
 * The acts of callers beside trading while the server is killed under them. They change alerts, API
 * keys and secrets, send deliveries again, delete records, and hold books against the broker's.
 */
import type { Random } from "@candlewick/core/kernel"
import { Buffer } from "node:buffer"
import type { AnswerBody, Call } from "./api.ts"
import type { Receiver } from "./receiver.ts"
import { sleep } from "./serverProcess.ts"
import { commandBot, postOnce, type Promises, symbol } from "./workload.ts"

/** Where it is done, and what was promised of it. */
export interface Administration {
  readonly call: Call
  readonly kept: Promises
  /** The endpoints in the order of `kept.webhooks`. */
  readonly endpoints: ReadonlyArray<Receiver>
  readonly findings: { readonly faults: Array<string> }
}

type Deed = (where: Administration, random: Random) => Promise<void>

const keyOf = (random: Random): string => `key-${random.integer(0, 2 ** 40)}`

const oneOf = <A>(all: ReadonlyArray<A>, random: Random): A | undefined =>
  all[random.integer(0, all.length - 1)]

/** Deletes something; until that is answered it may be there or not. */
export const remove = async (
  call: Call,
  kept: Promises,
  path: string,
  query = ""
): Promise<boolean> => {
  const isRepeated = kept.leaving.has(path)
  kept.leaving.add(path)
  const answer = await call("DELETE", path + query)
  const status = answer?.status
  const isGone = status === 404 && isRepeated
  if (!isGone && !kept.isKept(answer, `delete ${path.split("/").at(-2)}`)) {
    // A state that does not allow it; too many requests tell nothing of the one before.
    const isThere = status === 409 || (status === 429 && !isRepeated)
    if (isThere) kept.leaving.delete(path)
    return false
  }
  kept.deleted.set(path, Date.now())
  kept.leaving.delete(path)
  return true
}

const isAt = (kept: Promises, path: string) => !kept.isGoing(path)

/** Alerts that nobody has asked to delete, nor the bots that they are of. */
const alertsThere = (kept: Promises): ReadonlyArray<string> =>
  [...kept.alerts].flatMap(([id, botId]) =>
    isAt(kept, `/alerts/${id}`) && (botId === null || isAt(kept, `/bots/${botId}`)) ? [id] : []
  )

const createAlert: Deed = async ({ call, kept }, random) => {
  if (alertsThere(kept).length >= 6) return
  const op = oneOf(["crosses_above", "crosses_below", "gt", "lt"], random)
  const bots = [...kept.bots.keys()].filter((id) => isAt(kept, `/bots/${id}`))
  const botId = random.next() < 0.5 ? null : oneOf(bots, random)!
  const body =
    botId === null
      ? { metric: "price", op, symbol, threshold: 98 + random.integer(0, 40) / 10 }
      : { metric: "total_return", op, bot_id: botId, threshold: random.integer(-20, 20) / 1_000 }
  const take = ({ id }: AnswerBody) => kept.alerts.set(id, botId)
  const all = { once: random.next() < 0.3, cooldown_s: 0, rearm_percent: 0, ...body }
  await postOnce(call, kept, { path: "/alerts", body: all, key: keyOf(random), take }, "/alerts")
}

const removeAlert: Deed = async ({ call, kept }, random) => {
  const there = alertsThere(kept)
  if (there.length < 4) return
  await remove(call, kept, `/alerts/${oneOf(there, random)!}`)
}

const createKey: Deed = async ({ call, kept }, random) => {
  if (kept.keys.size > 12) return
  const body = { name: `key ${random.integer(0, 2 ** 40)}`, scopes: ["bots:read"] }
  const take = ({ id, secret }: AnswerBody) => kept.keys.set(id, secret)
  const path = "/account/keys"
  await postOnce(call, kept, { path, body, key: keyOf(random), take }, path)
}

/** Revokes a key, the oldest ones first; it goes on working until that is answered, or not. */
const revokeKey: Deed = async ({ call, kept }) => {
  const [oldest] = kept.keys
  if (oldest === undefined || kept.keys.size < 3) return
  const [id, secret] = oldest
  if (!(await remove(call, kept, `/account/keys/${id}`))) return
  kept.keys.delete(id)
  kept.revoked.set(id, secret)
}

const pickEndpoint = ({ endpoints, kept }: Administration, random: Random) => {
  const index = random.integer(0, endpoints.length - 1)
  return { index, receiver: endpoints[index]!, path: `/webhooks/${[...kept.webhooks][index]!}` }
}

/** A secret of the caller's own, so that what was signed with it is known whatever is answered. */
const rotateToOwn: Deed = async (where, random) => {
  const { call, kept } = where
  const { index, path, receiver } = pickEndpoint(where, random)
  if (kept.rotating.has(index)) return
  const bytes = Buffer.from(Array.from({ length: 32 }, () => random.integer(0, 255)))
  const secret = { text: `whsec_${bytes.toString("base64")}`, sinceMs: null as number | null }
  const body = { secret: secret.text, overlap_seconds: oneOf([0, 0, 1, 3], random) }
  receiver.secrets.push(secret)
  kept.rotating.add(index)
  const answer = await call("POST", `${path}/secret/rotate`, { body })
  kept.rotating.delete(index)
  const isRefused = answer !== null && answer.status >= 400 && answer.status !== 503
  if (kept.isKept(answer, "rotate")) secret.sinceMs = Date.now()
  else if (isRefused) {
    receiver.secrets.splice(receiver.secrets.indexOf(secret), 1)
  }
}

/** A secret of the server's: the old one signs beside it, so that a lost answer cuts nobody off. */
const rotateToGiven: Deed = async (where, random) => {
  const { call, kept } = where
  const { index, path, receiver } = pickEndpoint(where, random)
  if (kept.rotating.has(index)) return
  kept.rotating.add(index)
  const take = ({ secret }: AnswerBody) => {
    receiver.secret = secret
    kept.rotating.delete(index)
  }
  const post = { path: `${path}/secret/rotate`, body: { overlap_seconds: 600 } }
  const refuse = () => kept.rotating.delete(index)
  await postOnce(call, kept, { ...post, key: keyOf(random), take, refuse }, "rotate")
}

const activate: Deed = async (where, random) => {
  const { path } = pickEndpoint(where, random)
  const answer = await where.call("POST", `${path}/secret/activate`)
  where.kept.isKept(answer, "activate")
}

const redeliver: Deed = async (where, random) => {
  const { call, kept } = where
  const { index, path } = pickEndpoint(where, random)
  const listed = await call("GET", `${path}/deliveries?status=succeeded&limit=20`)
  if (listed?.status !== 200) return
  const all = listed.body as unknown as {
    readonly data: ReadonlyArray<{ readonly id: string; readonly event_id: string }>
  }
  const chosen = oneOf(all.data, random)
  if (chosen === undefined) return
  const askedMs = Date.now()
  const answer = await call("POST", `${path}/deliveries/${chosen.id}/redeliver`)
  if (!kept.isKept(answer, "redeliver")) return
  kept.askedAgain.push({ endpoint: index, eventId: chosen.event_id, askedMs })
}

const replay: Deed = async (where, random) => {
  const { call, kept } = where
  const { index, path } = pickEndpoint(where, random)
  const askedMs = Date.now()
  const since = new Date(askedMs - random.integer(1_000, 20_000)).toISOString()
  const body = { since, mode: oneOf(["all", "all", "failed", "missing"], random) }
  const take = ({ id }: AnswerBody) => kept.replays.set(id, { endpoint: index, askedMs })
  await postOnce(call, kept, { path: `${path}/replay`, body, key: keyOf(random), take }, "replay")
}

/** Deletes one of the bots that callers made on the way, and stops it before that. */
const removeBot: Deed = async ({ call, kept }, random) => {
  const passing = [...kept.bots].filter(
    ([id, { name }]) => name.startsWith("bot ") && isAt(kept, `/bots/${id}`)
  )
  const chosen = oneOf(passing, random)
  if (chosen === undefined) return
  const [id] = chosen
  // A repeated check would not find it any more.
  if ([...kept.open.keys()].some(({ body }) => JSON.stringify(body).includes(id))) return
  const found = await call("GET", `/bots/${id}/status`)
  if (found?.status !== 200) return
  if (!["created", "stopped", "error"].includes(found.body.status)) {
    return commandBot(call, kept, id, "stop")
  }
  const query = random.next() < 0.7 ? "?positions=keep" : ""
  if (await remove(call, kept, `/bots/${id}`, query)) kept.bots.delete(id)
}

/** Deletes a strategy that was written or generated on the way. */
const removeStrategy: Deed = async ({ call, kept }, random) => {
  const generated = [...kept.runs].flatMap(([id, { kind }]) => (kind === "generate" ? [id] : []))
  const all = [...[...kept.strategies.keys()].slice(1), ...generated]
  const id = oneOf(
    all.filter((one) => isAt(kept, `/mix/strategies/${one}`)),
    random
  )
  if (id === undefined) return
  const found = await call("GET", `/mix/strategies/${id}`)
  if (found?.status !== 200 || found.body.status !== "ready") return
  // It was finished before it went, so that its event is owed.
  kept.announced.add(id)
  if (!(await remove(call, kept, `/mix/strategies/${id}`))) return
  kept.strategies.delete(id)
  kept.runs.delete(id)
}

const moodyBot = (kept: Promises, random: Random) =>
  oneOf(
    [...kept.bots].filter(([id, bot]) => !bot.isSteady && isAt(kept, `/bots/${id}`)),
    random
  )?.[0]

/** The bot's paper exchange has no other trader, so that the books can't differ. */
const reconcile: Deed = async ({ call, findings, kept }, random) => {
  const id = moodyBot(kept, random)
  if (id === undefined) return
  const answer = await call("POST", `/bots/${id}/reconcile`, { body: { accept: true } })
  if (answer?.status === 404 && kept.isGoing(`/bots/${id}`)) return
  if (!kept.isKept(answer, "reconcile")) return
  const { differences } = answer.body
  if (differences.length > 0) {
    findings.faults.push(`bot ${id} and its exchange differ: ${JSON.stringify(differences)}`)
  }
}

const resumeRisk: Deed = async ({ call, kept }, random) => {
  const id = moodyBot(kept, random)
  if (id === undefined) return
  const answer = await call("POST", `/bots/${id}/risk/resume`)
  if (answer?.status === 404 && kept.isGoing(`/bots/${id}`)) return
  kept.isKept(answer, "resume risk")
}

/** Repeats every deletion that was not answered. */
export const repeatRemovals = async (call: Call, kept: Promises): Promise<void> => {
  for (const path of kept.leaving) {
    const id = path.split("/").at(-1)!
    const isBot = path.startsWith("/bots/")
    if (!(await remove(call, kept, path, isBot ? "?positions=keep" : ""))) continue
    kept.bots.delete(id)
    kept.strategies.delete(id)
    if (path.startsWith("/mix/strategies/")) kept.runs.delete(id)
    const secret = kept.keys.get(id)
    if (secret === undefined) continue
    kept.keys.delete(id)
    kept.revoked.set(id, secret)
  }
}

const deeds: ReadonlyArray<Deed> = [
  createAlert,
  removeAlert,
  createKey,
  revokeKey,
  rotateToOwn,
  rotateToGiven,
  activate,
  redeliver,
  replay,
  removeBot,
  removeBot,
  removeStrategy,
  reconcile,
  resumeRisk
]

/** Does one after another until it is told to stop. */
export const administer = async (
  where: Administration,
  random: Random,
  isOver: () => boolean
): Promise<void> => {
  while (!isOver()) {
    await repeatRemovals(where.call, where.kept)
    await oneOf(deeds, random)!(where, random)
    await sleep(random.next() * 150)
  }
}
