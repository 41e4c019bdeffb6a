/**
 * The receiver of webhooks: it answers as it is told, and knows which notifications it has had.
 */
import { type AttemptOutcome, NotificationSender } from "@candlewick/webhooks"
import { Effect } from "effect"
import type { Counts } from "./counts.ts"
import { type Lane, Violation } from "./seededScheduler.ts"

/** As long as a sender waits for an answer. */
export const answerTimeoutMs = 15_000

/** How long an answer takes. */
const answersMs = [0, 5, 200, 2_000]

/** For so long after a freeze, a process may send what is another's by now. */
const lateMs = 60_000

interface Post {
  readonly lane: Lane
  readonly sinceMs: number
}

/** A receiver that all processes of a history send to. */
export class Receiver {
  readonly #counts: Counts
  answer: "ok" | "broken" | "slow" = "ok"
  /** How often each event was accepted. */
  readonly accepted = new Map<string, number>()
  readonly #underWay = new Map<string, Post>()

  constructor(counts: Counts) {
    this.#counts = counts
  }

  #refuseTwice(id: string, lane: Lane): void {
    const nowMs = lane.simulator.nowMs
    const other = this.#underWay.get(id)
    if (other === undefined || other.lane.status !== "running") return
    const isLeased = nowMs - other.sinceMs < answerTimeoutMs
    const isCalm = [lane, other.lane].every(({ disturbedAtMs }) => nowMs - disturbedAtMs > lateMs)
    if (isLeased && isCalm) throw new Violation(`the event ${id} is sent twice at once`)
  }

  /** The sender as a process has it. */
  connect(lane: Lane): NotificationSender["Service"] {
    const { simulator } = lane
    const answered = (status: number): AttemptOutcome => ({
      _tag: "Answered",
      status,
      durationMs: 5,
      responseBytes: 0,
      responseText: null,
      retryAfter: null,
      receiverRequest: null
    })
    return NotificationSender.of({
      post: ({ headers }) =>
        Effect.suspend(() => {
          const id = headers["webhook-id"]!
          this.#refuseTwice(id, lane)
          const post: Post = { lane, sinceMs: simulator.nowMs }
          this.#underWay.set(id, post)
          const { answer } = this
          this.#counts.add(`receiver.${answer}`)
          const waitMs = answer === "slow" ? answerTimeoutMs : simulator.random.pick(answersMs)
          const outcome = Effect.sync((): AttemptOutcome => {
            if (answer === "slow") {
              return { _tag: "Unanswered", error: "timeout", status: null, durationMs: waitMs }
            }
            if (answer === "ok") this.accepted.set(id, (this.accepted.get(id) ?? 0) + 1)
            return answered(answer === "ok" ? 204 : 500)
          })
          return Effect.ensuring(
            Effect.andThen(Effect.sleep(waitMs), outcome),
            Effect.sync(() => {
              if (this.#underWay.get(id) === post) this.#underWay.delete(id)
            })
          )
        })
    })
  }
}
