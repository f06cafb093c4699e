/* Part of the Helios project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A libcublasLt.so without a GPU, for tests of what is asked of it. It
 * recommends two algorithms. Of its algorithm 7, tiles 3 and 4 with two stages
 * and options 0 and 1 can be run; algorithm 8 has no choices and can be run;
 * algorithm 9 takes other types. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  uint64_t data[8];
} Algorithm;
typedef struct {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} Heuristic;

static int object;
static int make(void **handle) {
  *handle = &object;
  return 0;
}

int cublasLtCreate(void **h) { return make(h); }
int cublasLtDestroy(void *h) { return (void)h, 0; }
size_t cublasLtGetVersion(void) { return 130100; }
int cublasLtMatmulDescCreate(void **d, int compute, int scale) {
  (void)compute, (void)scale;
  return make(d);
}
int cublasLtMatmulDescDestroy(void *d) { return (void)d, 0; }
int cublasLtMatmulDescSetAttribute(void *d, int what, const void *value,
                                   size_t size) {
  (void)d, (void)what, (void)value, (void)size;
  return 0;
}
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  (void)type, (void)rows, (void)columns, (void)leading;
  return make(l);
}
int cublasLtMatrixLayoutDestroy(void *l) { return (void)l, 0; }
int cublasLtMatrixLayoutSetAttribute(void *l, int what, const void *value,
                                     size_t size) {
  (void)l, (void)what, (void)value, (void)size;
  return 0;
}
int cublasLtMatmulPreferenceCreate(void **p) { return make(p); }
int cublasLtMatmulPreferenceDestroy(void *p) { return (void)p, 0; }
int cublasLtMatmulPreferenceSetAttribute(void *p, int what, const void *value,
                                         size_t size) {
  (void)p, (void)what, (void)value, (void)size;
  return 0;
}
int cublasLtMatmulAlgoGetHeuristic(void *h, void *op, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted,
                                   Heuristic *results, int *count) {
  (void)h, (void)op, (void)a, (void)b, (void)c, (void)d, (void)preference;
  *count = wanted < 2 ? wanted : 2;
  memset(results, 0, sizeof(Heuristic) * (size_t)*count);
  return 0;
}
/* Returns the algorithm's number and tile as a status, so that a test sees
 * what it was handed. */
int cublasLtMatmul(void *h, void *op, const void *alpha, const void *a,
                   void *la, const void *b, void *lb, const void *beta,
                   const void *c, void *lc, void *d, void *ld,
                   const Algorithm *algorithm, void *workspace, size_t bytes,
                   void *stream) {
  (void)h, (void)op, (void)alpha, (void)a, (void)la, (void)b, (void)lb;
  (void)beta, (void)c, (void)lc, (void)d, (void)ld, (void)workspace;
  (void)bytes, (void)stream;
  return (int)(100 * algorithm->data[0] + algorithm->data[1]);
}
int cublasLtMatmulAlgoGetIds(void *h, int compute, int scale, int a, int b,
                             int c, int d, int wanted, int *ids, int *count) {
  (void)h, (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
  for (int n = 0; n < 3 && n < wanted; ++n)
    ids[n] = 7 + n;
  *count = 3;
  return 0;
}
int cublasLtMatmulAlgoInit(void *h, int compute, int scale, int a, int b, int c,
                           int d, int id, Algorithm *algorithm) {
  (void)h, (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
  memset(algorithm, 0, sizeof(*algorithm));
  algorithm->data[0] = (uint64_t)id;
  return id == 9 ? 15 : 0;
}
int cublasLtMatmulAlgoCapGetAttribute(const Algorithm *algorithm, int what,
                                      void *value, size_t size,
                                      size_t *written) {
  static const uint32_t tiles[] = {3, 4, 5}, stages[] = {1, 2};
  const int32_t options = algorithm->data[0] == 7 ? 1 : 0;
  const void *from = NULL;
  *written = 0;
  if (what == 6 && algorithm->data[0] == 7)
    from = tiles, *written = sizeof(tiles);
  else if (what == 13 && algorithm->data[0] == 7)
    from = stages, *written = sizeof(stages);
  else if (what == 7)
    from = &options, *written = sizeof(options);
  if (from && size >= *written)
    memcpy(value, from, *written);
  return 0;
}
int cublasLtMatmulAlgoConfigSetAttribute(Algorithm *algorithm, int what,
                                         const void *value, size_t size) {
  uint32_t number = 0;
  memcpy(&number, value, size < 4 ? size : 4);
  if (what < 1 || what > 6)
    return 7;
  algorithm->data[what] = number;
  return 0;
}
int cublasLtMatmulAlgoCheck(void *h, void *op, void *a, void *b, void *c,
                            void *d, const Algorithm *algorithm,
                            Heuristic *result) {
  const int runs = algorithm->data[0] == 8 ||
                   (algorithm->data[1] < 5 && algorithm->data[6] == 2);
  (void)h, (void)op, (void)a, (void)b, (void)c, (void)d;
  memset(result, 0, sizeof(*result));
  result->algorithm = *algorithm;
  /* One wants more memory than it gets. */
  if (algorithm->data[1] == 4 && algorithm->data[5] == 1)
    result->workspace = (size_t)1 << 40;
  return runs ? 0 : 15;
}
