import { celError } from './engine.ts'
import { Evaluator } from './evaluator.ts'
import type { Answer, Question } from './thread.ts'

/** Real expressions take microseconds; only a trap (a regular expression, loops in loops) takes this long. */
const MAX_EVALUATION_MS = 1_000

const evaluator = new Evaluator(MAX_EVALUATION_MS)

// It ends when its service does. Ctrl-C is for the service, which has runs to finish.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})
process.on('disconnect', () => process.exit())
process.on('message', async (question: Question) => process.send?.(await answerTo(question)))

async function answerTo(question: Question): Promise<Answer> {
  try {
    return { result: await evaluator.evaluate(question) }
  } catch (error) {
    return { refused: celError(error).message }
  }
}
