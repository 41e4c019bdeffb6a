/**
 * Calls operations of the API by their names.
 *
 * The table of methods and paths is generated from the API value, which also gives the types. A
 * change of an operation there changes it here, and the compiler says where. The typed client is
 * four times as large as all of this dashboard's own code, so its types are used and it is not.
 */
import { base, sessionKey, signOut } from "./session.ts"
import { operations } from "./operations.ts"
import type { Answer, OperationName, Request } from "./types.ts"

/** One field that a refusal is about. */
export interface FieldFault {
  readonly pointer: string
  readonly code: string
  readonly message: string
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined

/** A problem document, as an error. */
export class RefusedCall extends Error {
  override readonly name = "RefusedCall"
  readonly status: number
  readonly code: string
  readonly faults: ReadonlyArray<FieldFault>
  readonly requestId: string | null

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    super(textOf(problem["detail"]) ?? `The server answered ${status}.`)
    this.status = status
    this.code = textOf(problem["code"]) ?? `${status}`
    this.faults = Array.isArray(problem["errors"]) ? (problem["errors"] as Array<FieldFault>) : []
    this.requestId = textOf(problem["request_id"]) ?? null
  }
}

/** The sentence that a failure is shown as. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof RefusedCall) return error.message
  if (error instanceof TypeError) return "The server can't be reached."
  return error instanceof Error ? error.message : String(error)
}

type Plain = string | number | boolean | undefined

const writeQuery = (query: Readonly<Record<string, Plain>>): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`
}

/** The path of an operation with its parameters, below the server's address. */
export const operationPath = (
  name: OperationName,
  request: Request<OperationName> = {}
): string => {
  const [, pattern] = operations[name]
  const params = request.params ?? {}
  const path = pattern.replaceAll(/:(\w+)/g, (_whole, param: string) =>
    encodeURIComponent(params[param] ?? "")
  )
  return path + writeQuery(request.query ?? {})
}

const readProblem = async (response: Response): Promise<RefusedCall> => {
  const problem = await response.json().catch(() => ({}))
  const refusal = new RefusedCall(response.status, problem as Readonly<Record<string, unknown>>)
  if (response.status === 401) signOut("The key is not accepted any more.")
  return refusal
}

/** Sends a request with the key; fails with `RefusedCall` where the server refuses it. */
export const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers)
  headers.set("authorization", `Bearer ${sessionKey.peek() ?? ""}`)
  const response = await fetch(new URL(path.slice(1), base), { ...init, headers })
  if (!response.ok) throw await readProblem(response)
  return response
}

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))

/** A read that came too often is asked once more when the server says so. */
const sendPatiently = async (path: string, init: RequestInit): Promise<Response> => {
  try {
    return await send(path, init)
  } catch (error) {
    if (!(error instanceof RefusedCall) || error.status !== 429 || init.method !== "GET")
      throw error
    await sleep(5_000)
    return send(path, init)
  }
}

/** Calls an operation; the answer is its JSON. */
export const call = async <N extends OperationName>(
  name: N,
  request: Request<N> = {}
): Promise<Answer<N>> => {
  const [method] = operations[name]
  const { payload, signal, headers } = request
  const init: RequestInit = {
    method,
    ...(signal === undefined ? {} : { signal }),
    headers: {
      ...headers,
      ...(payload === undefined ? {} : { "content-type": "application/json" })
    },
    ...(payload === undefined ? {} : { body: JSON.stringify(payload) })
  }
  const response = await sendPatiently(operationPath(name, request), init)
  return (response.status === 204 ? undefined : await response.json()) as Answer<N>
}
