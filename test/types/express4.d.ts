/** Express 4 under the name it has in the dev dependencies. What is used of it here is typed as in Express 5. */
declare module 'express4' {
  import express from 'express'
  export = express
}
