//===- HostGraph.h - Graphs of drivers that run on the host -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_COMMON_HOSTGRAPH_H
#define HELIOS_RUNTIME_COMMON_HOSTGRAPH_H

#include "helios/runtime/Runtime.h"

namespace helios::rt {

/// Operations that a driver runs, one after the other, when they are enqueued.
class HostGraph final : public Graph {
public:
  using Operation = std::function<Status()>;

  explicit HostGraph(std::shared_ptr<Device> device)
      : owner(std::move(device)) {}
  std::vector<std::string> kernelNames() const override { return names; }

  /// Notes an operation and, if it is a launch, what that dispatches.
  void add(Operation operation, const Launch *launch);
  /// Runs all operations, up to the first that fails.
  Status run() const;

  const std::shared_ptr<Device> &device() const override { return owner; }

private:
  std::shared_ptr<Device> owner;
  std::vector<Operation> operations;
  std::vector<std::string> names;
};

/// A stream of such a driver: runs operations, or notes them.
class HostStream : public Stream {
public:
  explicit HostStream(std::shared_ptr<Device> device)
      : owner(std::move(device)) {}

  Result<std::shared_ptr<Graph>> record(const std::function<Status()> &body,
                                        GraphOrder order) override;
  Result<Event> replay(const std::shared_ptr<Graph> &graph) override;
  Status wait(Stream &other, Event event) override;
  Status synchronize() override;
  const std::shared_ptr<Device> &device() const override { return owner; }

protected:
  /// Runs the operation and counts it, unless the stream is recorded.
  Result<Event> perform(const HostGraph::Operation &operation,
                        const Launch *launch = nullptr);
  /// Runs an operation that is number `event` of the stream.
  virtual Status run(const HostGraph::Operation &operation, Event) {
    return operation();
  }

  uint64_t serial = 0;
  std::shared_ptr<HostGraph> recorded; ///< null: not being recorded

private:
  std::shared_ptr<Device> owner;
};

} // namespace helios::rt

#endif // HELIOS_RUNTIME_COMMON_HOSTGRAPH_H
