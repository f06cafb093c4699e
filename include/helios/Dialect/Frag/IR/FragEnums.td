// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_FRAG_ENUMS
#define HELIOS_FRAG_ENUMS

include "mlir/IR/EnumAttr.td"

def Frag_Scope : I32Enum<"Scope", "lanes that a barrier or reduction covers", [
    I32EnumCase<"Lane", 0, "lane">, I32EnumCase<"Group", 1, "group">, I32EnumCase<"Subgroup", 2, "subgroup">,
    I32EnumCase<"Replica", 3, "replica">, I32EnumCase<"Workgroup", 4, "workgroup">, I32EnumCase<"All", 5, "all">]> {
  let cppNamespace = "::helios::frag";
}

def Frag_IdKind : I32Enum<"IdKind", "which number frag.id gives", [
    I32EnumCase<"Workgroup", 0, "workgroup">, I32EnumCase<"Workgroups", 1, "workgroups">,
    I32EnumCase<"ClusterRank", 2, "cluster_rank">, I32EnumCase<"Cluster", 3, "cluster">, I32EnumCase<"Clusters", 4, "clusters">]> {
  let cppNamespace = "::helios::frag";
}

#endif // HELIOS_FRAG_ENUMS
