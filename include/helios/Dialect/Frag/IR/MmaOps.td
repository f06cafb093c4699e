// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products, synchronous and in flight.

def Frag_Operand : AnyTypeOf<[Frag_FragmentType, Frag_MemType]>;
def Frag_Acc : AnyTypeOf<[Frag_FragmentType, Frag_InFlightType]>;

def Frag_MmaOp : Frag_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "synchronous product acc + a · b";
  let arguments = (ins Tile_MmaAttrInterface:$mma, Frag_FragmentType:$a, Frag_FragmentType:$b, Frag_FragmentType:$acc);
  let results = (outs Frag_FragmentType:$result);
  let assemblyFormat = "$mma $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Frag_MmaStartOp : Frag_Op<"mma_start", []> {
  let summary = "starts an asynchronous product";
  let description = [{
    Operands may be fragments or shared memory, with `trans` where memory is read transposed. Without `acc` nothing is accumulated. The
    result is in flight until an await of the token or of a younger one of its engine.
  }];
  let arguments = (ins Tile_MmaAttrInterface:$mma, Frag_Operand:$a, Frag_Operand:$b, Optional<Frag_Acc>:$acc,
                       UnitAttr:$trans_a, UnitAttr:$trans_b);
  let results = (outs Frag_InFlightType:$result, Frag_TokenType:$token);
  let assemblyFormat = [{
    $mma $a (`trans` $trans_a^)? `,` $b (`trans` $trans_b^)? (`,` $acc^ `:` type($acc))? attr-dict
    `:` type($a) `,` type($b) `->` qualified(type($result)) `,` qualified(type($token))
  }];
  let hasVerifier = 1;
}

def Frag_AwaitOp : Frag_Op<"await", [AttrSizedOperandSegments]> {
  let summary = "retires a token and every older one of its engine";
  let description = [{
    `landed` are values in flight that become fragments; `through` are values pinned across the wait, so that what replaces
    an operand of a pending product cannot move above it. `count` is the number of younger entries that may stay pending, derived by a pass.
  }];
  let arguments = (ins Frag_TokenType:$token, Variadic<Frag_InFlightType>:$landed, Variadic<Frag_FragmentType>:$through,
                       OptionalAttr<I64Attr>:$count);
  let results = (outs Variadic<Frag_FragmentType>:$results);
  let assemblyFormat = [{
    $token `(` ($landed^ `:` type($landed))? `)` (`through` `(` $through^ `:` type($through) `)`)? (`count` $count^)? attr-dict
    `:` qualified(type($token)) (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}
