/-
What `import Init`, implicit in every Lean file, means when the project is checked without a stock
toolchain. README.md beside this file says what a reader has to trust here.
-/
prelude
import Init.Prelude
import Init.Notation
import Init.Core
