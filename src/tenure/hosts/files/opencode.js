// {mark}; `tenure uninstall` removes this file.
// Hands OpenCode's events to `tenure hook` and its answer to the model. Whatever fails, the session goes on.
import { spawn } from "node:child_process"

const PROGRAM = {program}
const LONGEST_WAIT = 3000

function hook(event, payload, folder) {
  return new Promise((resolve) => {
    try {
      const [command, ...words] = PROGRAM
      const child = spawn(command, [...words, "hook", event], {
        cwd: folder,
        env: { ...process.env, TENURE_HOST: "opencode" },
        stdio: ["pipe", "pipe", "ignore"],
      })
      let said = ""
      const timer = setTimeout(() => child.kill(), LONGEST_WAIT)
      child.stdout.on("data", (piece) => (said += piece))
      child.on("error", () => resolve(""))
      child.on("close", () => {
        clearTimeout(timer)
        try {
          const answer = JSON.parse(said)
          resolve(answer.permissionDecisionReason ?? answer.additionalContext ?? answer.hookSpecificOutput?.additionalContext ?? "")
        } catch {
          resolve("")
        }
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ cwd: folder, ...payload }))
    } catch {
      resolve("")
    }
  })
}

const spoken = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")

export const Tenure = async ({ directory }) => {
  const fresh = new Set()
  return {
    event: async ({ event }) => {
      const session_id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created") fresh.add(session_id)
      if (event.type === "session.idle") await hook("stop", { session_id }, directory)
      if (event.type === "session.deleted") await hook("session-end", { session_id }, directory)
    },
    "chat.message": async (input, output) => {
      const session_id = input.sessionID
      const started = fresh.delete(session_id) ? await hook("session-start", { session_id, source: "startup" }, directory) : ""
      const found = await hook("prompt", { session_id, prompt: spoken(output.parts) }, directory)
      const text = [started, found].filter(Boolean).join("\n")
      if (!text) return
      const { id: messageID, sessionID } = output.message
      output.parts.push({ id: "prt_tenure" + Date.now().toString(36), sessionID, messageID, type: "text", text, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      // A guard that stops a call is the only answer; the model is told the reason.
      const stopped = await hook("guard", { session_id: input.sessionID, tool_name: input.tool, tool_input: output.args ?? {} }, directory)
      if (stopped) throw new Error(stopped)
    },
    "tool.execute.after": async (input, output) => {
      const failed = typeof output.metadata?.exit === "number" && output.metadata.exit !== 0
      const payload = { session_id: input.sessionID, tool_name: input.tool, tool_input: input.args ?? {}, tool_response: String(output.output ?? "").slice(0, 20000) }
      await hook(failed ? "post-tool-failure" : "post-tool", payload, directory)
    },
  }
}
