import sys,json; from pathlib import Path
sys.path.insert(0,"benchmarks"); sys.path.insert(0,"/work/tmp/facts-answers")
import facts as B, cached
_e = cached.Cached(B.default_embedder()); B.embedder=lambda:_e
from datetime import datetime,UTC
from genome_core.facts import answers as A, slots as S, candidates as C, passages as PS
def conv(file,cid,system="functions"):
    c=next(c for c in json.load(open(file)) if c["id"]==cid)
    s=B.Chat(B.SYSTEMS[system]); s.ingest([{k:t[k] for k in ("id","at","speaker","text")} for t in c["turns"]]); return s
def why(s,q,at):
    seen=[]
    orig=A.View.slot
    def slot(self,a):
        r=orig(self,a); seen.append((a,r)); return r
    A.View.slot=slot
    op=A.passages; ps=[]
    def passages(*a,**k):
        r=op(*a,**k); ps.append(r); return r
    A.passages=passages
    a=s.answer(q,at)
    A.View.slot=orig; A.passages=op
    print("Q",q,a.question.mode.value,a.question.subject,a.question.attributes,a.question.when.start.date(),"->",a.value,a.values,a.rests,[(e.text[:80]) for e in a.evidence])
    for n,sl in seen:
        print("  slot",n)
        for e in sl.entries: print("    entry",e.kind.value,e.value,e.valid_from and str(e.valid_from.start)[:10],e.at.date(),e.extractor,e.certainty)
        for w in sl.windows: print("    window",sl.value(w),w.value,str(w.begins)[:10],str(w.ends)[:10],w.basis.value)
    for r in ps:
        for p in r: print("   P",p.score,str(p.begins)[:10],"ended" if p.ended else "", "" if p.holds else "noholds","alike" if p.alike else "",p.told.sentence.text[:100])
    return a
def facts(s,sub):
    for f in s.system.facts:
        if sub in f.subject: print("  F",f.kind.value,f.subject,f.attribute,f.value,f.valid_from and str(f.valid_from.start)[:10],f.at.date(),f.certainty,f.extractor)
