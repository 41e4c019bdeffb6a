/**
 * Shell fences of a page, run by bash.
 */
import { spawn } from "node:child_process"

/** How a script ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script to its end; it stops at the first command that fails. */
export const runShell = (
  script: string,
  cwd: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...environment }
    })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk: Buffer) => (stdout += String(chunk)))
    child.stderr.on("data", (chunk: Buffer) => (stderr += String(chunk)))
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })
