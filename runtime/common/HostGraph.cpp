//===- HostGraph.cpp - Graphs of drivers that run on the host -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/HostGraph.h"
#include "common/StreamChecks.h"

namespace helios::rt {

void HostGraph::add(Operation operation, const Launch *launch) {
  operations.push_back(std::move(operation));
  if (launch)
    for (std::string &name : launch->kernelNames())
      names.push_back(std::move(name));
}

Status HostGraph::run() const {
  for (const Operation &operation : operations)
    if (Status s = operation(); !s.ok())
      return s;
  return Status::success();
}

Result<Event> HostStream::perform(const HostGraph::Operation &operation,
                                  const Launch *launch) {
  if (recorded) {
    recorded->add(operation, launch);
    return Event{serial};
  }
  Event event{serial + 1};
  if (Status s = run(operation, event); !s.ok())
    return s;
  serial = event.serial;
  return event;
}

Result<std::shared_ptr<Graph>>
HostStream::record(const std::function<Status()> &body, GraphOrder) {
  if (Status s = checkNotRecorded(recorded != nullptr, "record"); !s.ok())
    return s;
  recorded = std::make_shared<HostGraph>(owner);
  Status inside = body();
  std::shared_ptr<HostGraph> graph = std::move(recorded);
  if (!inside.ok())
    return inside;
  return std::shared_ptr<Graph>(std::move(graph));
}

Result<Event> HostStream::replay(const std::shared_ptr<Graph> &graph) {
  if (Status s = checkGraph(graph.get(), *owner); !s.ok())
    return s;
  if (Status s = checkNotRecorded(recorded != nullptr, "replay"); !s.ok())
    return s;
  auto host = std::static_pointer_cast<HostGraph>(graph);
  return perform([host] { return host->run(); });
}

Status HostStream::wait(Stream &other, Event event) {
  if (Status s = checkNotRecorded(recorded != nullptr, "wait"); !s.ok())
    return s;
  if (Status s = checkWait(other, *owner); !s.ok())
    return s;
  return checkReached(event, static_cast<HostStream &>(other).serial);
}

Status HostStream::synchronize() {
  return checkNotRecorded(recorded != nullptr, "synchronize");
}

} // namespace helios::rt
